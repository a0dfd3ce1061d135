import * as yaml from 'js-yaml';
import { type DiagnosticLog, type Position, quote } from './diagnostic';
import { lineStarts, positionOf } from './line-positions';
import { composeDocument, MAX_DEPTH } from './yaml-composer';
import type { YamlNode } from './yaml-node';

const MAX_FILE_BYTES = 1024 * 1024;

/**
 * The one document of a YAML 1.2 text as a tree in which each node knows its place, aliases expanded within limits. Null
 * when there is none to work with; the log then says why.
 */
export function parseYaml(text: string, log: DiagnosticLog): YamlNode | null {
  if (Buffer.byteLength(text) > MAX_FILE_BYTES) {
    log.error({ line: 1, column: 1 }, 'yaml-limit', 'the file is larger than 1 MiB; split the workflow');
    return null;
  }
  const source = text.replace(/^\uFEFF/, '');
  const starts = lineStarts(source);
  const events = parseEvents(source, log);
  return events && composeDocument(events, source, (offset) => positionOf(starts, offset), log);
}

function parseEvents(source: string, log: DiagnosticLog): readonly yaml.Event[] | null {
  try {
    return yaml.parseEvents(source, { maxDepth: MAX_DEPTH });
  } catch (error) {
    const { position, reason } = describeYamlError(error);
    log.error(position, reason.startsWith('nesting exceeded') ? 'yaml-limit' : 'yaml-syntax', `this is not valid YAML: ${reason}`);
    return null;
  }
}

function describeYamlError(error: unknown): { readonly position: Position; readonly reason: string } {
  if (!(error instanceof yaml.YAMLException)) return { position: { line: 1, column: 1 }, reason: String(error) };
  const { mark } = error;
  return { position: { line: (mark?.line ?? 0) + 1, column: (mark?.column ?? 0) + 1 }, reason: quote(error.reason).slice(1, -1) };
}
