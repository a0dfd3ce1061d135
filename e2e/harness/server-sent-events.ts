export interface ServerSentEvent {
  readonly name: string;
  readonly data: string;
}

/** The events of a `text/event-stream` answer, as they arrive; comments are passed over. */
export async function* readEvents(response: Response): AsyncGenerator<ServerSentEvent> {
  if (!response.body) return;
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    rest += decoder.decode(chunk, { stream: true });
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = parseEvent(block);
      if (event) yield event;
    }
  }
}

function parseEvent(block: string): ServerSentEvent | undefined {
  const fields = block
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith(':'))
    .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trimStart()] as const);
  if (fields.length === 0) return undefined;
  const all = (name: string) => fields.filter(([field]) => field === name).map(([, value]) => value);
  return { name: all('event')[0] ?? 'message', data: all('data').join('\n') };
}
