/** What replaces a secret, as runners write it. */
export const MASK = '***';
/** Shorter lines are not masked: they would blank out half of all text and hide nothing. */
const MIN_LENGTH = 4;

/**
 * Every text in which a log may betray these secrets: each line of 4 characters or more, its base64 at every alignment and its
 * percent-encoded form, and what a runner leaves of it when it has masked another secret that the line contains or overlaps
 * (`***XYZ`). For `redact`; made once a task.
 */
export function secretForms(secrets: readonly string[]): readonly string[] {
  const lines = [...new Set(secrets.flatMap((secret) => secret.split(/\r\n|[\r\n]/)))].filter((line) => line.length >= MIN_LENGTH);
  return [...new Set([...lines, ...lines.flatMap(percentForms), ...lines.flatMap(base64Forms), ...halfMaskedForms(lines)])];
}

function percentForms(line: string): string[] {
  const encoded = encodeURIComponent(Buffer.from(line).toString());
  const strict = encoded.replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
  return [encoded, strict, strict.replaceAll('%20', '+')];
}

/** The characters that depend on the line alone, for a line that begins at each of the three places within a group of base64. */
function base64Forms(line: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(line)]);
    const from = Math.ceil((before * 8) / 6);
    const to = Math.floor((bytes.length * 8) / 6);
    return [bytes.toString('base64').slice(from, to), bytes.toString('base64url').slice(from, to)];
  });
}

function halfMaskedForms(lines: readonly string[]): string[] {
  return lines.flatMap((line) => lines.flatMap((masked) => [...withinForms(line, masked), ...overlapForms(line, masked)]));
}

function withinForms(line: string, masked: string): string[] {
  return line !== masked && line.includes(masked) ? [line.replaceAll(masked, MASK)] : [];
}

/** `masked` ends with what `line` begins with, or the other way round; the runner saw the one and left the rest of the other. */
function overlapForms(line: string, masked: string): string[] {
  const forms: string[] = [];
  for (let length = 1; length < Math.min(line.length, masked.length); length += 1) {
    if (masked.endsWith(line.slice(0, length))) forms.push(MASK + line.slice(length));
    if (masked.startsWith(line.slice(-length))) forms.push(line.slice(0, -length) + MASK);
  }
  return forms;
}
