import { Inject, Logger, Module, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { mountApi } from '@triphammer/api-kit';
import { CONFIG, type Config } from '@triphammer/config';
import { CLOCK, type Clock, isFailure } from '@triphammer/foundation';
import { authorizeAdmin } from '@triphammer/identity';
import { poolOf, transaction } from '@triphammer/models';
import { mountConnect, mountUnimplemented, PingService, RunnerService } from '@triphammer/runner-rpc';
import { admitRegistrationToken, isSpent } from '@triphammer/runs';
import type { FastifyInstance } from 'fastify';
import { DataSource } from 'typeorm';
import { TASK_DISPATCHER_API } from './api/task-dispatcher-api';
import { RunConsumers } from './consumers/run-consumers';
import { DispatchDesk } from './dispatch-desk';
import { prepareTask } from './prepare-task';
import { fetchTask } from './runner-service/fetch-task';
import { declare, ping, register } from './runner-service/register';
import { updateTask } from './runner-service/update-task';
import { TaskSweeps } from './sweeps/task-sweeps';

const RPC_PREFIX = '/api/actions';

/** Registers runners, hands out jobs, takes their reports, and decides what follows from a job's end. */
@Module({ controllers: [RunConsumers], providers: [DispatchDesk, TaskSweeps] })
export class TaskDispatcherModule implements OnModuleInit {
  private readonly logger = new Logger('TaskDispatcher');

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly dataSource: DataSource,
    private readonly desk: DispatchDesk,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async onModuleInit(): Promise<void> {
    const { registrationToken } = this.config.secrets;
    if (registrationToken) await transaction(this.dataSource, (tx) => admitRegistrationToken(tx, registrationToken, this.clock.now()));
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    this.mountRunnerService(fastify);
    mountApi(fastify, {
      routes: TASK_DISPATCHER_API,
      deps: { dataSource: this.dataSource, config: this.config, clock: this.clock },
      authorize: authorizeAdmin(this.config.secrets.adminToken),
      publicUrl: this.config.network.publicUrl,
    });
  }

  private mountRunnerService(fastify: FastifyInstance): void {
    const { dataSource, desk } = this;
    const now = () => this.clock.now();
    const onError = (error: unknown, procedure: string) => this.reportRefusal(error, procedure);
    const prepareDeps = { dataSource, config: this.config, clock: this.clock, serverVersion: '0.1.0' };
    mountConnect(fastify, { prefix: RPC_PREFIX, service: PingService, methods: { ping }, onError });
    mountConnect(fastify, {
      prefix: RPC_PREFIX,
      service: RunnerService,
      methods: {
        register: register({ desk, dataSource, now }),
        declare: declare({ desk, dataSource, now }),
        fetchTask: fetchTask({
          desk,
          prepare: (job, runner) => prepareTask(prepareDeps, job, runner),
          isSpent: (runner) => isSpent(poolOf(dataSource), runner.id),
        }),
        updateTask: updateTask({ desk, dataSource, now }),
      },
      onError,
    });
    mountUnimplemented(fastify, RPC_PREFIX);
  }

  /** What a client did wrong is its own news; what went wrong here is ours. */
  private reportRefusal(error: unknown, procedure: string): void {
    const isOurs = !isFailure(error) || ['unavailable', 'corrupt', 'upstream-failed'].includes(error.code);
    if (isOurs) this.logger.error({ msg: 'a runner call failed', procedure, err: error });
    else this.logger.debug({ msg: 'a runner call was refused', procedure, code: error.code, reason: error.message });
  }
}
