import { equalInConstantTime, sha256 } from '@triphammer/foundation';
import type { FastifyInstance } from 'fastify';
import { register } from 'prom-client';

export interface Check {
  readonly name: string;
  /** Throws, or takes too long, when the part cannot serve now. */
  readonly probe: () => Promise<unknown>;
}

const PROBE_LIMIT_MS = 1_000;
const CACHE_MS = 1_000;

/** Whether this process may be sent work. `drain` turns it off for good, so that a balancer looks elsewhere. */
export class Readiness {
  private isDraining = false;
  private last: { at: number; problems: Promise<readonly string[]> } | undefined;

  constructor(private readonly checks: readonly Check[]) {}

  drain(): void {
    this.isDraining = true;
  }

  /** What stands in the way, by name; empty when ready. A result is used again for a second. */
  problems(): Promise<readonly string[]> {
    if (this.isDraining) return Promise.resolve(['draining']);
    const now = Date.now();
    if (!this.last || now - this.last.at > CACHE_MS) this.last = { at: now, problems: probeAll(this.checks) };
    return this.last.problems;
  }
}

/** `/livez` (the process answers), `/readyz` (its parts answer too) and `/metrics`. */
export function mountHealth(fastify: FastifyInstance, readiness: Readiness, metricsToken: string | undefined): void {
  fastify.get('/livez', async (_request, reply) => reply.type('text/plain').send('ok\n'));
  fastify.get('/readyz', async (_request, reply) => {
    const problems = await readiness.problems();
    return reply
      .status(problems.length === 0 ? 200 : 503)
      .type('text/plain')
      .send(problems.length === 0 ? 'ready\n' : `not ready: ${problems.join(', ')}\n`);
  });
  fastify.get('/metrics', async (request, reply) => {
    if (metricsToken !== undefined && !equalInConstantTime(sha256(request.headers.authorization ?? ''), sha256(`Bearer ${metricsToken}`))) {
      return reply.status(401).header('www-authenticate', 'Bearer realm="metrics"').type('text/plain').send('The metrics token is required.\n');
    }
    return reply.type(register.contentType).send(await register.metrics());
  });
}

async function probeAll(checks: readonly Check[]): Promise<readonly string[]> {
  const outcomes = await Promise.all(checks.map(async ({ name, probe }) => ((await answersInTime(probe)) ? undefined : name)));
  return outcomes.filter((name) => name !== undefined);
}

async function answersInTime(probe: () => Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), PROBE_LIMIT_MS);
  });
  const answer = probe().then(
    () => true,
    () => false,
  );
  const result = await Promise.race([answer, limit]);
  clearTimeout(timer);
  return result;
}
