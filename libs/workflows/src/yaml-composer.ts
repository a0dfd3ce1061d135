import * as yaml from 'js-yaml';
import { type DiagnosticLog, type Position, quote } from './diagnostic';
import type { YamlEntry, YamlNode, YamlScalar } from './yaml-node';

/** The limits hold for what a file amounts to once its aliases are expanded. */
export const MAX_DEPTH = 100;
const MAX_NODES = 50_000;
const MAX_CHARACTERS = 4 * 1024 * 1024;

/**
 * Builds the tree of the only document. What the language of workflows does not allow (a second document, merge keys, equal
 * keys, own tags) is said in the log; null only where nothing useful can be built: no document, or beyond a limit.
 */
export function composeDocument(events: readonly yaml.Event[], source: string, positionAt: (offset: number) => Position, log: DiagnosticLog): YamlNode | null {
  const composer = new Composer(source, positionAt, log);
  for (const event of events) {
    composer.take(event);
    if (composer.beyondLimit) return null;
  }
  if (!composer.root) log.error({ line: 1, column: 1 }, 'yaml-syntax', 'the file is empty; a workflow has at least "on" and "jobs"');
  return composer.root;
}

/** A node and what it costs with all aliases in it expanded. */
interface Measured {
  readonly node: YamlNode;
  readonly nodes: number;
  readonly characters: number;
  readonly depth: number;
}

interface Key {
  readonly text: string;
  readonly at: Position;
}

/** A collection that is still being filled. */
interface Frame {
  readonly kind: 'sequence' | 'mapping';
  readonly at: Position;
  readonly anchor: string;
  readonly items: YamlNode[];
  readonly entries: YamlEntry[];
  readonly keys: Set<string>;
  /** The key whose value comes next; null for one that was refused. */
  key: Key | null | undefined;
  nodes: number;
  characters: number;
  depth: number;
}

type ScalarTag = yaml.ScalarTagDefinition<string | number | boolean | null>;

const { EVENT_ID, SCALAR_STYLE } = yaml;
const IMPLICIT_TAGS: readonly ScalarTag[] = [yaml.nullCoreTag, yaml.boolCoreTag, yaml.intCoreTag, yaml.floatCoreTag];
const TAGGED: ReadonlyMap<string, ScalarTag> = new Map<string, ScalarTag>([
  ['!', yaml.strTag],
  ['!!str', yaml.strTag],
  ['!!null', yaml.nullCoreTag],
  ['!!bool', yaml.boolCoreTag],
  ['!!int', yaml.intCoreTag],
  ['!!float', yaml.floatCoreTag],
]);
const ALLOWED_COLLECTION_TAGS = new Set(['', '!', '!!seq', '!!map']);

class Composer {
  root: YamlNode | null = null;
  beyondLimit = false;
  private documents = 0;
  private lastOffset = 0;
  private readonly frames: Frame[] = [];
  private readonly anchors = new Map<string, Measured>();

  constructor(
    private readonly source: string,
    private readonly positionAt: (offset: number) => Position,
    private readonly log: DiagnosticLog,
  ) {}

  take(event: yaml.Event): void {
    if (event.type === EVENT_ID.DOCUMENT) this.openDocument();
    else if (event.type === EVENT_ID.SCALAR) this.takeScalar(event);
    else if (event.type === EVENT_ID.ALIAS) this.takeAlias(event);
    else if (event.type === EVENT_ID.POP) this.close();
    else this.open(event);
  }

  private openDocument(): void {
    this.documents += 1;
    this.anchors.clear();
    if (this.documents === 2) {
      this.log.error(this.positionAt(this.lastOffset), 'yaml-not-allowed', 'a second YAML document begins after this; a workflow file holds one');
    }
  }

  private open(event: yaml.SequenceEvent | yaml.MappingEvent): void {
    const at = this.see(event.start);
    const tag = this.source.slice(event.tagStart, event.tagEnd);
    if (!ALLOWED_COLLECTION_TAGS.has(tag)) this.log.error(at, 'yaml-not-allowed', `the tag ${quote(tag)} has no meaning in a workflow; remove it`);
    const kind = event.type === EVENT_ID.SEQUENCE ? 'sequence' : 'mapping';
    const anchor = this.source.slice(event.anchorStart, event.anchorEnd);
    this.frames.push({ kind, at, anchor, items: [], entries: [], keys: new Set(), key: undefined, nodes: 1, characters: 0, depth: 1 });
  }

  private close(): void {
    const frame = this.frames.pop();
    if (!frame) return;
    const { kind, at, items, entries, nodes, characters, depth } = frame;
    const node: YamlNode = kind === 'sequence' ? { kind, at, items } : { kind, at, entries };
    this.add({ node, nodes, characters, depth }, frame.anchor);
  }

  private takeScalar(event: yaml.ScalarEvent): void {
    const quoted = event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED;
    const at = event.valueStart < 0 ? this.positionAt(this.lastOffset) : this.see(event.valueStart - (quoted ? 1 : 0));
    const source = event.valueStart < 0 ? '' : yaml.getScalarValue(this.source, event);
    const value = this.resolve(event, source, at);
    const text = value === null ? '' : source;
    this.add({ node: { kind: 'scalar', at, value, text }, nodes: 1, characters: text.length, depth: 1 }, this.source.slice(event.anchorStart, event.anchorEnd));
  }

  private resolve(event: yaml.ScalarEvent, text: string, at: Position): YamlScalar['value'] {
    const tag = this.source.slice(event.tagStart, event.tagEnd);
    if (tag === '') return event.style === SCALAR_STYLE.PLAIN ? resolvePlain(text) : text;
    const known = TAGGED.get(tag);
    const value = known ? known.resolve(text, true, known.tagName) : yaml.NOT_RESOLVED;
    if (value !== yaml.NOT_RESOLVED) return value;
    this.log.error(at, 'yaml-not-allowed', `the tag ${quote(tag)} has no meaning for ${quote(text)}; remove it`);
    return text;
  }

  private takeAlias(event: yaml.AliasEvent): void {
    const at = this.see(event.anchorStart - 1);
    const name = this.source.slice(event.anchorStart, event.anchorEnd);
    const target = this.anchors.get(name);
    if (!target) this.log.error(at, 'yaml-syntax', `the alias ${quote(`*${name}`)} has no anchor before it (it cannot stand inside its own)`);
    const missing: Measured = { node: { kind: 'scalar', at, value: null, text: '' }, nodes: 1, characters: 0, depth: 1 };
    this.add(target ? { ...target, node: { ...target.node, at } } : missing, '');
  }

  private add(measured: Measured, anchor: string): void {
    if (anchor !== '') this.anchors.set(anchor, measured);
    const frame = this.frames.at(-1);
    if (!frame) {
      if (this.documents === 1) this.root = measured.node;
      return;
    }
    frame.nodes += measured.nodes;
    frame.characters += measured.characters;
    frame.depth = Math.max(frame.depth, measured.depth + 1);
    this.checkLimits(frame, measured);
    if (frame.kind === 'sequence') frame.items.push(measured.node);
    else if (frame.key === undefined) frame.key = this.readKey(frame, measured.node);
    else {
      if (frame.key) frame.entries.push({ key: frame.key.text, at: frame.key.at, value: measured.node });
      frame.key = undefined;
    }
  }

  private checkLimits(frame: Frame, added: Measured): void {
    const limit =
      (frame.nodes > MAX_NODES && `${MAX_NODES} values`) ||
      (frame.characters > MAX_CHARACTERS && `${MAX_CHARACTERS} characters`) ||
      (this.frames.length + added.depth > MAX_DEPTH && `${MAX_DEPTH} levels`);
    if (!limit) return;
    this.beyondLimit = true;
    this.log.error(added.node.at, 'yaml-limit', `with its aliases expanded the file has more than ${limit}`);
  }

  private readKey(frame: Frame, node: YamlNode): Key | null {
    const { at } = node;
    if (node.kind !== 'scalar') this.log.error(at, 'yaml-not-allowed', 'a key must be a text, not a list or a mapping');
    else if (node.text === '<<')
      this.log.error(at, 'yaml-not-allowed', 'merge keys ("<<") are not part of the workflow language; write the keys out, or alias the whole value');
    else if (frame.keys.has(node.text)) this.log.error(at, 'duplicate-key', `the key ${quote(node.text)} stands twice in this mapping`);
    else {
      frame.keys.add(node.text);
      return { text: node.text, at };
    }
    return null;
  }

  private see(offset: number): Position {
    this.lastOffset = Math.max(0, offset);
    return this.positionAt(this.lastOffset);
  }
}

/** By the core schema; text that fits no other type is text. */
function resolvePlain(text: string): YamlScalar['value'] {
  for (const tag of IMPLICIT_TAGS) {
    const value = tag.resolve(text, false, tag.tagName);
    if (value !== yaml.NOT_RESOLVED) return value;
  }
  return text;
}
