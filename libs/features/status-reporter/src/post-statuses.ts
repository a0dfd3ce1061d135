import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { CONFIG, type Config } from '@triphammer/config';
import { CLOCK, type Clock, every, type Repetition } from '@triphammer/foundation';
import {
  connectForge,
  type DueStatus,
  ensureRepository,
  type Forge,
  markFailed,
  markPosted,
  ownerOf,
  readConnection,
  type StatusOutcome,
  takeDueStatuses,
} from '@triphammer/forges';
import { ensureOwner, secretBox } from '@triphammer/identity';
import { read, transaction } from '@triphammer/models';
import { Counter } from 'prom-client';
import { DataSource } from 'typeorm';

const PAUSE_MS = 500;
const BATCH = 20;

const posts = new Counter({ name: 'triphammer_status_posts_total', help: 'Commit statuses by what the forge said', labelNames: ['outcome'] });

/** Tells the forges what commits should show, and keeps trying. Each status is taken by one replica at a time. */
@Injectable()
export class PostStatuses implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('StatusReporter');
  private repetition: Repetition | undefined;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.repetition = every(
      PAUSE_MS,
      () => this.postDue(),
      (error) => this.logger.warn({ msg: 'statuses could not be posted', err: error }),
    );
  }

  async onModuleDestroy(): Promise<void> {
    await this.repetition?.stop();
  }

  /** Posts until nothing is due. */
  async postDue(): Promise<void> {
    for (;;) {
      const due = await transaction(this.dataSource, (tx) => takeDueStatuses(tx, BATCH, this.clock.now()));
      await Promise.all(due.map((status) => this.post(status)));
      if (due.length < BATCH) return;
    }
  }

  private async post(status: DueStatus): Promise<void> {
    const outcome = await this.tell(await this.forgeOf(status), status);
    posts.inc({ outcome: outcome.kind });
    await transaction(this.dataSource, async (tx) => {
      if (outcome.kind === 'refused') return markFailed(tx, status, outcome, this.clock.now());
      await markPosted(tx, status);
      if (!outcome.renamed) return;
      const connection = await readConnection(tx, status.connectionId);
      const owner = await ensureOwner(tx, ownerOf(connection, outcome.renamed));
      await ensureRepository(tx, status.connectionId, outcome.renamed, owner.id);
    });
    if (outcome.kind === 'refused') this.logger.warn({ msg: 'a forge refused a status', context: status.context, sha: status.sha, reason: outcome.reason });
  }

  private async forgeOf(status: DueStatus): Promise<Forge> {
    const connection = await readConnection(read(this.dataSource), status.connectionId);
    return connectForge(secretBox(this.config.secrets.secretKey), connection);
  }

  private async tell(forge: Forge, status: DueStatus): Promise<StatusOutcome> {
    if (!forge.api) return { kind: 'refused', isFinal: true, retryAfterMs: null, reason: 'The forge has no commit statuses.' };
    const { context, state, description, targetUrl } = status;
    return forge.api.postStatus(status, status.sha, { context, state, description, targetUrl });
  }
}
