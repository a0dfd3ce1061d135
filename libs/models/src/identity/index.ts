import { Owner } from './owner.entity';

export { Owner };
export const IDENTITY_ENTITIES = [Owner] as const;
