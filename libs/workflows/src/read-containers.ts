import { type DiagnosticLog, quote } from './diagnostic';
import { asMapping, readShaped, type Shape } from './fields';
import type { JsonObject } from './json';
import { isNull, type YamlEntry, type YamlNode } from './yaml-node';

const CONTAINER = {
  image: 'text',
  credentials: 'text-map',
  env: 'text-map',
  ports: 'text-list',
  volumes: 'text-list',
  options: 'text',
} as const satisfies Record<string, Shape>;

/** `container` of a job: an image, or a mapping with one. An empty image means no container, as on GitHub. */
export function readContainer(entry: YamlEntry | undefined, where: string, log: DiagnosticLog): string | JsonObject | null {
  const container = entry && !isNull(entry.value) ? readOne(entry.value, `"container" of ${where}`, log) : null;
  return container === '' ? null : container;
}

/** `services` of a job: name → container. */
export function readServices(entry: YamlEntry | undefined, where: string, log: DiagnosticLog): JsonObject | null {
  if (!entry || isNull(entry.value)) return null;
  const services = asMapping(entry.value, `"services" of ${where}`, log)?.entries ?? [];
  return Object.fromEntries(services.map(({ key, value }) => [key, readService(value, `the service ${quote(key)} of ${where}`, log)]));
}

function readOne(node: YamlNode, what: string, log: DiagnosticLog): string | JsonObject | null {
  if (node.kind === 'scalar') return node.text;
  const mapping = asMapping(node, what, log);
  if (!mapping) return null;
  const container = readShaped(mapping, CONTAINER, what, log);
  if (container['image'] === undefined) log.error(mapping.at, 'missing-key', `${what} has no "image"; name the container image`);
  return container;
}

/** Runners decode a service as a mapping only, so a bare image is written as one. */
function readService(node: YamlNode, what: string, log: DiagnosticLog): JsonObject {
  const container = readOne(node, what, log);
  if (container === '' || container === null) log.error(node.at, 'missing-key', `${what} has no "image"; name the container image`);
  return typeof container === 'string' ? { image: container } : (container ?? {});
}
