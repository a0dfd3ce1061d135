export interface Repetition {
  /** No further turn begins; resolves when the one under way has ended. */
  stop(): Promise<void>;
}

/** Does `work` again and again, `pauseMs` after each turn's end. A turn that fails is reported and does not end the series. */
export function every(pauseMs: number, work: () => Promise<void>, onError: (error: unknown) => void): Repetition {
  let timer: NodeJS.Timeout | undefined;
  let turn: Promise<void> = Promise.resolve();
  let isStopped = false;
  const schedule = () => {
    if (isStopped) return;
    timer = setTimeout(() => {
      turn = work().catch(onError).finally(schedule);
    }, pauseMs);
  };
  schedule();
  return {
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await turn;
    },
  };
}
