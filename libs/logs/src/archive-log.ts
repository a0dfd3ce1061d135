import type { Tx } from '@triphammer/models';
import type { LogEncoding } from '@triphammer/models/logs';
import { encodeArchive } from './log-frames';
import type { Archive } from './read-archive';
import { type LogSource, readLogState, readRows } from './read-log';

/**
 * Writes a complete log into one object of the blob store, and leaves it at that: `recordArchive` makes it the log. Undefined when
 * the log is not complete or is sealed already. To repeat it does no harm: the same rows have the same digest.
 */
export async function writeArchive(source: LogSource, taskId: number, encoding: LogEncoding): Promise<Archive | undefined> {
  const state = await readLogState(source.sql, taskId);
  if (!state?.isComplete || state.archive) return undefined;
  const frameRows: number[] = [];
  const frameBytes: number[] = [];
  const blocks = readRows(source, taskId, { from: 0, to: state.rows });
  const body = encodeArchive(blocks, encoding, (frame) => {
    frameRows.push(frame.rows);
    frameBytes.push(frame.bytes.length);
  });
  const { digest, size } = await source.blobs.put(body);
  return { digest, encoding, size, frameRows, frameBytes };
}

/** From here on the log is read from the archive, and its chunks are gone. False: it was sealed already, by another replica. */
export async function recordArchive(tx: Tx, taskId: number, archive: Archive, now: Date): Promise<boolean> {
  const sealed = await tx.sql.query({
    name: 'log-record-archive',
    text: `update task_log
              set archive_digest = $2, archive_encoding = $3, archive_size = $4, archive_frame_rows = $5, archive_frame_bytes = $6, sealed_at = $7
            where task_id = $1 and is_complete and archive_digest is null`,
    values: [taskId, archive.digest, archive.encoding, archive.size, archive.frameRows, archive.frameBytes, now],
  });
  if (sealed.rowCount === 0) return false;
  await tx.sql.query({ name: 'log-drop-chunks', text: 'delete from task_log_chunk where task_id = $1', values: [taskId] });
  return true;
}
