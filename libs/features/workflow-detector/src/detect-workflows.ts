import { join } from 'node:path';
import { Controller, Inject, Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { CONFIG, type Config } from '@triphammer/config';
import { handleOnce, type Message } from '@triphammer/events';
import { CLOCK, type Clock, every, isFailure, raise, type Repetition } from '@triphammer/foundation';
import {
  type CachedRepository,
  connectForge,
  type ForgeConnection,
  type ForgeEvent,
  GitCache,
  type Push,
  readDeliveredEvent,
  readRepository,
  recordTrace,
  type RepositoryRecord,
  type TriggerTrace,
  traceOnArrival,
} from '@triphammer/forges';
import { secretBox } from '@triphammer/identity';
import { read, type Tx } from '@triphammer/models';
import { startRun } from '@triphammer/runs';
import { DataSource } from 'typeorm';
import { guardEvent } from './guard-event';
import { judgeFiles, needsChangedFiles, readFiles, type StartedWorkflow } from './judge-files';

const CUT_BACK_MS = 10 * 60_000;
const MAX_TITLE = 255;

/** The git cache of this process, cut back now and then. */
@Injectable()
export class DetectorGitCache implements OnApplicationBootstrap, OnModuleDestroy {
  readonly cache: GitCache;
  private repetition: Repetition | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.cache = new GitCache(join(config.dataDir, 'git-cache'));
  }

  onApplicationBootstrap(): void {
    const logger = new Logger('GitCache');
    this.repetition = every(
      CUT_BACK_MS,
      () => this.cache.cutBack(this.config.forges.gitCacheLimit, this.clock.now()),
      (error) => logger.warn({ msg: 'the git cache could not be cut back', err: error }),
    );
  }

  async onModuleDestroy(): Promise<void> {
    await this.repetition?.stop();
  }
}

interface Evaluation {
  readonly status: 'evaluated' | 'refused';
  readonly trace: TriggerTrace;
  readonly folder: string;
  readonly sha: string;
  readonly title: string;
  readonly started: readonly StartedWorkflow[];
}

/** Turns a stored webhook into runs, and writes down what became of it. */
@Controller()
export class DetectWorkflows {
  constructor(
    private readonly dataSource: DataSource,
    private readonly git: DetectorGitCache,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Reads and decides outside, then writes runs and trace in one transaction; a delivery that has its trace is left alone. */
  @EventPattern({ event: 'forge-event.received', consumer: 'detect-workflows' })
  async detect(message: Message<'forge-event.received'>): Promise<void> {
    const { deliveryId } = message.payload;
    const { delivery, connection, event } = await readDeliveredEvent(read(this.dataSource), deliveryId);
    if (delivery.status !== 'received') return;
    const repository = delivery.repositoryId === null ? undefined : await readRepository(read(this.dataSource).sql, delivery.repositoryId);
    const evaluation = await this.evaluate(event, connection, repository);
    await handleOnce(this.dataSource, message, async (tx) => {
      if (!(await recordTrace(tx, deliveryId, evaluation.status, evaluation.trace, this.clock.now()))) return;
      if (repository) await this.startRuns(tx, deliveryId, repository, event, evaluation);
    });
  }

  private async evaluate(event: ForgeEvent, connection: ForgeConnection, repository: RepositoryRecord | undefined): Promise<Evaluation> {
    const trace = traceOnArrival(event) ?? guardEvent(event);
    if (trace) return nothingStarted(trace);
    const { push } = event;
    if (!push || !repository) return raise('a push that passed the guards concerns a repository');
    const forge = connectForge(secretBox(this.config.secrets.secretKey), connection);
    const cached: CachedRepository = { id: repository.id, remote: forge.gitRemote(repository), ref: push.ref };
    try {
      return await this.evaluatePush(push, cached, repository);
    } catch (error) {
      // What the repository no longer has will not come back; anything else is worth another try.
      if (!isFailure(error) || error.code !== 'not-found') throw error;
      return { ...nothingStarted({ code: 'commit-gone', text: error.message }), status: 'refused' };
    }
  }

  private async evaluatePush(push: Push, cached: CachedRepository, repository: RepositoryRecord): Promise<Evaluation> {
    const { cache } = this.git;
    const { folders } = this.config.workflows;
    const sha = push.headCommitSha ?? (await cache.commitOf(cached, push.after));
    const found = await cache.workflowFiles(cached, sha, folders);
    if (!found) return nothingStarted({ code: 'no-workflows', text: `The commit ${sha} has none of the folders ${folders.join(', ')}.` });
    const files = readFiles(found.folder, found.files);
    const changedFiles =
      push.isTag || !needsChangedFiles(files) ? undefined : await cache.changedFiles(cached, { ...push, defaultBranch: repository.defaultBranch });
    const refType = push.isTag ? 'tag' : 'branch';
    const { verdicts, started } = judgeFiles(files, { ref: push.ref, refType, changedFiles }, Math.ceil(this.config.runners.jobTimeoutMs / 60_000));
    const skipped = found.skipped.map(({ path, reason }) => ({ path, code: 'file-not-read', outcome: 'invalid', text: reason }));
    const message = push.headCommitMessage ?? (started.length > 0 ? await cache.commitMessage(cached, sha) : '');
    return {
      status: 'evaluated',
      trace: { code: 'evaluated', text: describe(started.length, verdicts.length), folder: found.folder, commit: sha, workflows: [...verdicts, ...skipped] },
      folder: found.folder,
      sha,
      title: message.split('\n', 1)[0] ?? '',
      started,
    };
  }

  private async startRuns(tx: Tx, deliveryId: number, repository: RepositoryRecord, event: ForgeEvent, evaluation: Evaluation): Promise<void> {
    const { folder, sha, started } = evaluation;
    for (const { path, name, title, jobs } of started) {
      const run = {
        repositoryId: repository.id,
        ownerId: repository.ownerId,
        deliveryId,
        workflow: path,
        workflowFolder: folder,
        workflowName: name,
        title: (title ?? evaluation.title).slice(0, MAX_TITLE),
        event: 'push',
        eventPayload: { ...event.payload },
        ref: event.push?.ref ?? raise('only pushes start runs'),
        sha,
        actor: event.sender ?? event.push?.pusher ?? 'unknown',
        jobs,
      };
      await startRun(tx, run, this.clock.now());
    }
  }
}

function nothingStarted(trace: TriggerTrace): Evaluation {
  return { status: 'evaluated', trace, folder: '', sha: '', title: '', started: [] };
}

function describe(started: number, all: number): string {
  return `${started} of ${all} workflow ${all === 1 ? 'file' : 'files'} started.`;
}
