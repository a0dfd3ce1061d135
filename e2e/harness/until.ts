/** Asks again every 100 ms until there is an answer; after `limitMs` it says what was waited for and what was seen last. */
export async function until<Result>(what: string, limitMs: number, ask: () => Promise<Result | undefined>): Promise<Result> {
  const deadline = Date.now() + limitMs;
  let last: Error | undefined;
  for (;;) {
    try {
      const answer = await ask();
      if (answer !== undefined) return answer;
      last = undefined;
    } catch (error) {
      last = error as Error;
    }
    if (Date.now() > deadline) throw new Error(`waited ${limitMs} ms in vain for ${what}${last instanceof Error ? `: ${last.message}` : ''}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

export async function answersOk(url: string): Promise<true | undefined> {
  const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
  await response.arrayBuffer();
  return response.ok ? true : undefined;
}
