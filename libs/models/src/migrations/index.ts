import { Events1796000500000 } from './1796000500000-events';
import { Forges1796000200000 } from './1796000200000-forges';
import { Identity1796000100000 } from './1796000100000-identity';
import { Logs1796000400000 } from './1796000400000-logs';
import { Runs1796000300000 } from './1796000300000-runs';

/** In the order in which they run. A migration that has been released is never edited. */
export const MIGRATIONS = [Identity1796000100000, Forges1796000200000, Runs1796000300000, Logs1796000400000, Events1796000500000] as const;
