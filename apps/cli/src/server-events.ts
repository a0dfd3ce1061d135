export interface ServerEvent {
  readonly type: string;
  readonly data: string;
}

/** Reads an event stream (`text/event-stream`) as it comes: comments and fields that nobody asks for are passed over. */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    const blocks = rest.split(/\r?\n\r?\n/);
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = parseEvent(block);
      if (event) yield event;
    }
  }
}

function parseEvent(block: string): ServerEvent | undefined {
  const lines = block.split(/\r?\n/);
  const valuesOf = (field: string) => lines.filter((line) => line.startsWith(`${field}:`)).map((line) => line.slice(field.length + 1).replace(/^ /, ''));
  const data = valuesOf('data');
  return data.length === 0 ? undefined : { type: valuesOf('event').at(-1) ?? 'message', data: data.join('\n') };
}
