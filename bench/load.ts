import { type ChildProcess, fork } from 'node:child_process';

/** One connection's request, sent again and again. */
export interface Poll {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface Load {
  readonly url: string;
  /** One keep-alive connection each; its next request follows its last answer. */
  readonly polls: readonly Poll[];
  readonly seconds: number;
  /** The connections are opened over this time. */
  readonly rampSeconds?: number;
}

export interface LoadReport {
  /** Answers with status 200 that came in time. */
  readonly answers: number;
  /** Those of them that held a task. */
  readonly tasks: number;
  /** Other answers, and connections that broke. */
  readonly failures: number;
  /** What the first failure was. */
  readonly failure: string | undefined;
  readonly latenciesMs: Float64Array;
}

/** Makes load from a process of its own, whose CPU time is nobody's. */
export class LoadGenerator {
  private readonly child: ChildProcess = fork(require.resolve('./load-generator'), {
    execArgv: ['-r', '@swc-node/register'],
    serialization: 'advanced',
  });

  /** One at a time. Ends after `seconds` and drops what is unanswered then. */
  run(load: Load): Promise<LoadReport> {
    return new Promise((resolve, reject) => {
      const gone = (code: number | null) => reject(new Error(`the load generator ended with code ${code}`));
      this.child.once('exit', gone);
      this.child.once('message', (report) => {
        this.child.off('exit', gone);
        resolve(report as LoadReport);
      });
      this.child.send(load);
    });
  }

  /** A load under way is never reported. */
  stop(): void {
    this.child.removeAllListeners('exit');
    this.child.kill();
  }
}
