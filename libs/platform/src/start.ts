import { type Config, loadConfig } from '@triphammer/config';
import { isFailure, systemClock } from '@triphammer/foundation';
import pino, { type Logger } from 'pino';
import { collectDefaultMetrics } from 'prom-client';
import { keepSecret, lockDataFolder, prepareDataFolder } from './data-folder';
import { type Database, type DatabaseDemand, prepareDatabase } from './database';
import { type FeatureModule, type Service, startService, Undo } from './service';

export interface Start {
  readonly name: string;
  readonly features: readonly FeatureModule[];
  readonly migrations: DatabaseDemand['migrations'];
  /** Called when the process serves, to greet a person. */
  readonly onReady?: (config: Config) => void;
}

/** Runs a service until it is told to stop. A start that fails says why in one message and ends the process with code 1. */
export async function start({ name, features, migrations, onReady }: Start): Promise<void> {
  await runProcess(name, async (config, log, undo) => {
    const { dataSource } = await openDatabase({ name, migrations }, config, log, undo);
    collectDefaultMetrics();
    const service: Service = await startService({ name, features, config, dataSource, clock: systemClock, log });
    undo.push(() => service.stop());
    log.info({ address: service.address }, 'serving');
    onReady?.(config);
  });
}

/** Brings the database up to date and ends. */
export async function migrateOnly(name: string): Promise<void> {
  await runProcess(name, async (config, log, undo) => {
    await openDatabase({ name, migrations: 'run' }, config, log, undo);
    log.info('the database is up to date');
    await undo.run();
    process.exit(0);
  });
}

async function openDatabase(demand: DatabaseDemand, config: Config, log: Logger, undo: Undo): Promise<Database> {
  if (config.database.url === 'embedded' || config.blobs.kind === 'disk') await prepareDataFolder(config.dataDir);
  if (config.database.url === 'embedded') undo.push(await lockDataFolder(config.dataDir));
  const database = await prepareDatabase(config, demand, log);
  undo.push(() => database.close());
  return database;
}

async function runProcess(name: string, work: (config: Config, log: Logger, undo: Undo) => Promise<void>): Promise<void> {
  const undo = new Undo(report);
  try {
    const config = loadConfig(process.env, keepSecret);
    const log = pino({ level: config.operation.logLevel, base: { service: name } });
    endOnSignal(undo, config, log);
    await work(config, log, undo);
  } catch (error) {
    report(error);
    await undo.run();
    process.exit(1);
  }
}

function endOnSignal(undo: Undo, config: Config, log: Logger): void {
  let isEnding = false;
  const end = (signal: NodeJS.Signals) => {
    if (isEnding) {
      log.warn({ signal }, 'told to stop twice: ending at once');
      process.exit(1);
    }
    isEnding = true;
    log.info({ signal }, 'draining');
    setTimeout(() => {
      log.warn('work under way did not end within SHUTDOWN_GRACE');
      process.exit(1);
    }, config.operation.shutdownGraceMs).unref();
    void undo.run().then(() => {
      log.info('stopped');
      process.exit(0);
    });
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
}

/** To the person at the terminal: a failure's own words, and for a defect the whole error. */
function report(error: unknown): void {
  const text = isFailure(error) ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${text}\n`);
}
