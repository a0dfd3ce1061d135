import type { Sql } from '@triphammer/models';
import type { StepStatus } from '@triphammer/models/runs';

export interface StepRecord {
  /** 0-based. */
  readonly index: number;
  readonly name: string;
  /** Null while no runner has reported on it. */
  readonly status: StepStatus | null;
  readonly startedAt: Date | null;
  readonly stoppedAt: Date | null;
}

type WrittenStep = Readonly<Record<string, unknown>>;

interface Payload {
  readonly jobs?: Readonly<Record<string, { readonly steps?: readonly WrittenStep[] }>>;
}

interface ReportedStep extends Omit<StepRecord, 'name'> {
  readonly jobId: number;
}

/** The steps that these jobs' workflows name, with what the runners of their present tasks reported of them. */
export async function readSteps(sql: Sql, jobIds: readonly number[]): Promise<ReadonlyMap<number, readonly StepRecord[]>> {
  if (jobIds.length === 0) return new Map();
  const written = await readWritten(sql, jobIds);
  const reported = await readReported(sql, jobIds);
  return new Map([...written].map(([jobId, steps]) => [jobId, steps.map((step, index) => recordOf(step, index, reported.get(`${jobId} ${index}`)))]));
}

function recordOf(step: WrittenStep, index: number, report: ReportedStep | undefined): StepRecord {
  return { index, name: stepName(step, index), status: report?.status ?? null, startedAt: report?.startedAt ?? null, stoppedAt: report?.stoppedAt ?? null };
}

/** What a step is called: its name, or `Run` and what it uses or the first line of its script. */
export function stepName(step: WrittenStep, index: number): string {
  const what = text(step['uses']) || text(step['run']).split('\n')[0]?.trim();
  return text(step['name']) || (what ? `Run ${what}` : `Step ${index + 1}`);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

/** Read here and not by Postgres, whose JSON refuses what a script may hold: an escaped NUL. */
async function readWritten(sql: Sql, jobIds: readonly number[]): Promise<ReadonlyMap<number, readonly WrittenStep[]>> {
  const found = await sql.query<{ jobId: number; key: string; payload: string }>({
    name: 'steps-written',
    text: 'select job.id as "jobId", job.key, payload.payload from job join job_payload payload on payload.job_id = job.id where job.id = any($1)',
    values: [jobIds],
  });
  return new Map(found.rows.map(({ jobId, key, payload }) => [jobId, (JSON.parse(payload) as Payload).jobs?.[key]?.steps ?? []]));
}

async function readReported(sql: Sql, jobIds: readonly number[]): Promise<ReadonlyMap<string, ReportedStep>> {
  const found = await sql.query<ReportedStep>({
    name: 'steps-reported',
    text: `select job.id as "jobId", step.index, step.status, step.started_at as "startedAt", step.stopped_at as "stoppedAt"
             from job join task_step step on step.task_id = job.task_id where job.id = any($1)`,
    values: [jobIds],
  });
  return new Map(found.rows.map((step) => [`${step.jobId} ${step.index}`, step]));
}
