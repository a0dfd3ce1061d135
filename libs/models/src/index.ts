export { createDataSource, poolOf, type DatabaseOptions } from './data-source';
export { transaction, read, type Tx, type Sql } from './tx';
export { migrate, assertMigrated } from './migrate';
export { ADVISORY_LOCKS } from './advisory-locks';
