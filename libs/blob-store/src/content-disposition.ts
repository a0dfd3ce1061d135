/** `attachment` under a name of any script: ASCII for old clients, RFC 5987 for the others. */
export function attachment(filename: string): string {
  const ascii = filename.replace(/[^\x20-\x7e]|["\\%]/gu, '_');
  const wellFormed = Buffer.from(filename).toString();
  const encoded = encodeURIComponent(wellFormed).replace(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
