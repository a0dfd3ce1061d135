import type { QueryConfig, QueryResult, QueryResultRow } from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import { poolOf } from './data-source';

/** What a named statement needs: a pg client inside a transaction, or the pool for a single read. */
export interface Sql {
  query<Row extends QueryResultRow>(statement: QueryConfig): Promise<QueryResult<Row>>;
}

/** One open transaction, for TypeORM (`manager`) and for named SQL (`sql`) on the same connection. */
export interface Tx {
  readonly manager: EntityManager;
  readonly sql: Sql;
}

const RETRYABLE = new Set(['40001', '40P01']);
const MAX_TRIES = 5;

/**
 * Runs `work` in one read-committed transaction and returns its result. A deadlock or serialisation failure repeats
 * the whole of `work` (up to five times in all), so `work` must have no effect outside the transaction.
 */
export async function transaction<Result>(dataSource: DataSource, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await once(dataSource, work);
    } catch (error) {
      if (attempt === MAX_TRIES || !isRetryable(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * attempt));
    }
  }
}

/** The same pair for reads that need no transaction of their own. */
export function read(dataSource: DataSource): Tx {
  return { manager: dataSource.manager, sql: poolOf(dataSource) };
}

async function once<Result>(dataSource: DataSource, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  const runner = dataSource.createQueryRunner();
  const sql = (await runner.connect()) as Sql;
  try {
    await runner.startTransaction('READ COMMITTED');
    const result = await work({ manager: runner.manager, sql });
    await runner.commitTransaction();
    return result;
  } catch (error) {
    await rollback(() => runner.rollbackTransaction());
    throw error;
  } finally {
    await runner.release();
  }
}

/** A connection that broke cannot roll back; Postgres has done it already, and the first error is the one that counts. */
async function rollback(run: () => Promise<void>): Promise<void> {
  await run().catch(() => undefined);
}

function isRetryable(error: unknown): boolean {
  const code = (error as { code?: unknown; driverError?: { code?: unknown } }).code ?? (error as { driverError?: { code?: unknown } }).driverError?.code;
  return typeof code === 'string' && RETRYABLE.has(code);
}
