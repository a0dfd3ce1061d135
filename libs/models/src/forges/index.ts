import { CommitStatus } from './commit-status.entity';
import { Delivery } from './delivery.entity';
import { ForgeConnection } from './forge-connection.entity';
import { Repository } from './repository.entity';

export { Delivery, ForgeConnection, Repository };
export type { CommitState } from './commit-status.entity';
export type { DeliveryStatus } from './delivery.entity';
export type { ForgeKind } from './forge-connection.entity';
export const FORGE_ENTITIES = [ForgeConnection, Repository, Delivery, CommitStatus] as const;
