import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { BlobStore } from '@triphammer/blob-store';
import { DiskBlobStore } from '@triphammer/blob-store/disk';
import { poolOf, transaction } from '@triphammer/models';
import { type LogEncoding, TaskLog, TaskLogChunk } from '@triphammer/models/logs';
import { createTestDatabase, fakeClock, type TestDatabase } from '@triphammer/testing';
import { recordArchive, writeArchive } from './archive-log';
import { decodeRows, encodeRow, type LogRow, logTime } from './log-row';
import { LogWriter } from './log-writer';
import type { Archive } from './read-archive';
import { type LogSource, readLogState, readRows } from './read-log';
import { unsealedLogs } from './unsealed-logs';

const clock = fakeClock();
let database: TestDatabase;
let folder: string;
let blobs: BlobStore;
let source: LogSource;
let lastTask = 0;
beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'triphammer-logs-'));
  blobs = new DiskBlobStore(folder);
  source = { sql: poolOf(database.dataSource), blobs };
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

function rows(from: number, to: number): LogRow[] {
  return Array.from({ length: to - from }, (_, at) => ({ time: logTime(from + at, 0), content: `row ${from + at} ${'abc '.repeat((from + at) % 50)}` }));
}

/** A complete log of so many rows, appended in batches. */
async function completeLogOf(count: number, batch = 100): Promise<number> {
  lastTask += 1;
  const writer = new LogWriter({
    sql: source.sql,
    transact: (work) => transaction(database.dataSource, work),
    clock,
    limits: { line: 65_536, task: 100_000_000 },
  });
  for (let at = 0; at < count; at += batch) {
    await writer.append(lastTask, { index: at, rows: rows(at, Math.min(count, at + batch)), noMore: false, secrets: [] });
  }
  await writer.append(lastTask, { index: count, rows: [], noMore: true, secrets: [] });
  return lastTask;
}

async function seal(taskId: number, encoding: LogEncoding = 'zstd'): Promise<boolean> {
  return record(taskId, await writeArchive(source, taskId, encoding));
}

async function record(taskId: number, archive: Archive | undefined): Promise<boolean> {
  return archive !== undefined && transaction(database.dataSource, (tx) => recordArchive(tx, taskId, archive, clock.now()));
}

async function readAll(taskId: number, from = 0, to = Number.MAX_SAFE_INTEGER, from_: LogSource = source): Promise<LogRow[]> {
  const all: LogRow[] = [];
  for await (const block of readRows(from_, taskId, { from, to })) {
    const part = decodeRows(block.text);
    expect([block.start, block.rows]).toEqual([from + all.length, part.length]);
    all.push(...part);
  }
  return all;
}

describe.each<LogEncoding>(['zstd', 'none'])('a log sealed as %s', (encoding) => {
  it.each([0, 1, 2_500])('of %d rows reads as before, in whole and in part, and its chunks are gone', async (count) => {
    const task = await completeLogOf(count);

    expect(await seal(task, encoding)).toBe(true);

    expect(await database.dataSource.manager.countBy(TaskLogChunk, { taskId: task })).toBe(0);
    expect(await readAll(task)).toEqual(rows(0, count));
    for (const [from, to] of [
      [0, 1],
      [count - 1, count],
      [count >> 1, (count >> 1) + 300],
      [count, count + 5],
    ] as const) {
      if (from >= 0) expect(await readAll(task, from, to)).toEqual(rows(from, Math.max(from, Math.min(to, count))));
    }
  });

  it('gives a part by reading only the frames that hold it', async () => {
    const task = await completeLogOf(6_000, 2_000);
    await seal(task, encoding);
    const { archiveSize } = await database.dataSource.manager.findOneByOrFail(TaskLog, { taskId: task });
    let bytes = 0;
    const counting = Object.create(blobs, {
      open: {
        value: async (...given: Parameters<BlobStore['open']>) => {
          const opened = await blobs.open(...given);
          bytes += opened.length;
          return opened;
        },
      },
    }) as BlobStore;

    const part = await readAll(task, 3_000, 3_010, { ...source, blobs: counting });

    expect(part).toEqual(rows(3_000, 3_010));
    expect(bytes).toBeLessThan((archiveSize as number) / 2);
  });
});

describe('sealing', () => {
  it('leaves a log alone that is not complete, or does not exist', async () => {
    lastTask += 1;
    await source.sql.query({ text: 'insert into task_log (task_id) values ($1)', values: [lastTask] });

    expect(await writeArchive(source, lastTask, 'zstd')).toBeUndefined();
    expect(await writeArchive(source, 987_654, 'zstd')).toBeUndefined();
  });

  it('can be repeated after a crash between object and row', async () => {
    const task = await completeLogOf(500);

    const lost = await writeArchive(source, task, 'zstd');
    expect(await readAll(task)).toEqual(rows(0, 500));
    expect(await seal(task)).toBe(true);

    expect((await readLogState(source.sql, task))?.archive).toEqual(lost);
    expect(await readAll(task)).toEqual(rows(0, 500));
  });

  it('is done once by two replicas that begin at the same time', async () => {
    const task = await completeLogOf(500);

    const [one, two] = await Promise.all([writeArchive(source, task, 'zstd'), writeArchive(source, task, 'zstd')]);
    const recorded = await Promise.all([record(task, one), record(task, two)]);

    expect(one).toEqual(two);
    expect([...recorded].sort()).toEqual([false, true]);
    expect(await seal(task)).toBe(false);
    expect(await readAll(task)).toEqual(rows(0, 500));
  });

  it('leaves no row out for someone who reads meanwhile', async () => {
    const task = await completeLogOf(20_000, 2_000);
    const seen: Buffer[] = [];

    for await (const block of readRows(source, task, { from: 0, to: 20_000 })) {
      if (seen.length === 0) await seal(task);
      seen.push(block.text);
    }

    expect(Buffer.concat(seen).toString() === rows(0, 20_000).map(encodeRow).join('')).toBe(true);
  });

  it('is due when a log was complete before, and is not once it is sealed', async () => {
    const early = await completeLogOf(3);
    clock.advance(60_000);
    const before = clock.now();
    const late = await completeLogOf(3);

    expect(await unsealedLogs(source.sql, before, 100)).toContain(early);
    expect(await unsealedLogs(source.sql, before, 100)).not.toContain(late);
    await seal(early);
    expect(await unsealedLogs(source.sql, before, 100)).not.toContain(early);
  });
});

describe('reading', () => {
  it('of a log that nobody began has no rows', async () => {
    expect(await readAll(123_456)).toEqual([]);
    expect(await readLogState(source.sql, 123_456)).toBeUndefined();
  });

  it('begins anywhere in a hot log', async () => {
    const task = await completeLogOf(1_000);

    for (const from of [0, 1, 99, 100, 101, 555, 999, 1_000, 2_000]) {
      expect(await readAll(task, from, from + 150)).toEqual(rows(from, Math.max(from, Math.min(1_000, from + 150))));
    }
  });

  it('says so when the archive object is gone, before any row', async () => {
    const task = await completeLogOf(10);
    await seal(task);
    await blobs.remove((await readLogState(source.sql, task))?.archive?.digest as string);

    await expect(readAll(task)).rejects.toMatchObject({ code: 'not-found' });
  });

  it('says so when the archive object is not what was written', async () => {
    const task = await completeLogOf(11);
    const archive = await writeArchive(source, task, 'zstd');
    const other = await blobs.put(
      (async function* () {
        yield Buffer.alloc(archive?.size as number);
      })(),
    );
    await record(task, archive && { ...archive, digest: other.digest });

    await expect(readAll(task)).rejects.toMatchObject({ code: 'corrupt' });
  });

  it('says so when a hot log has a hole', async () => {
    const task = await completeLogOf(300);
    await source.sql.query({ text: 'delete from task_log_chunk where task_id = $1 and start_index = 100', values: [task] });

    await expect(readAll(task)).rejects.toMatchObject({ code: 'corrupt' });
  });
});
