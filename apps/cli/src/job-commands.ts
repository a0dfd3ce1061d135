import type { Job } from './api-answers';
import { type Call, type CliCommand, idOf } from './command';
import { followLog, logPath } from './follow-log';

export const JOB_COMMANDS: readonly CliCommand[] = [
  {
    group: 'job',
    usage: 'logs <job>',
    summary: "print a job's log",
    options: [{ flags: '-f, --follow', summary: 'go on until the job ends' }],
    work: printLog,
  },
];

async function printLog(call: Call): Promise<void> {
  const job = await call.client.get<Job>(`/admin/actions/jobs/${idOf(call.subject, 'job')}`);
  if (!call.flag('follow') && !call.isJson) {
    for await (const text of call.client.text(logPath(job))) call.terminal.out(text);
    return;
  }
  const { signal } = new AbortController();
  for await (const row of followLog(call.client, call.terminal, job, signal)) {
    call.terminal.out(call.isJson ? `${JSON.stringify(row)}\n` : `${row.time} ${row.content}\n`);
  }
}
