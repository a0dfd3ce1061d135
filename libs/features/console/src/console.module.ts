import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost, ModulesContainer } from '@nestjs/core';
import { mountApi } from '@triphammer/api-kit';
import { CONFIG, type Config } from '@triphammer/config';
import { authorizeAdmin } from '@triphammer/identity';
import type { FastifyInstance } from 'fastify';
import { CONSOLE_API } from './console-api';
import { mountPages } from './mount-pages';
import { OPEN_API } from './open-api';
import { renderStartPage } from './start-page';

/** From Nest's point of view; the root is at 1. */
const FEATURE_DISTANCE = 2;

/** What a person finds at the address: the first page, the description of the API, and an answer to whatever nobody else serves. */
@Module({})
export class ConsoleModule implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly modules: ModulesContainer,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    const { publicUrl } = this.config.network;
    const { version } = OPEN_API.info;
    mountApi(fastify, { routes: CONSOLE_API, deps: { openApi: OPEN_API, version }, authorize: authorizeAdmin(this.config.secrets.adminToken), publicUrl });
    mountPages(fastify, renderStartPage({ version, publicUrl, features: this.featuresOfProcess() }));
  }

  /** The modules that the root imports; what they import themselves, and what is everywhere, does not count. */
  private featuresOfProcess(): readonly string[] {
    return [...this.modules.values()].filter((module) => module.distance === FEATURE_DISTANCE && !module.isGlobal).map((module) => module.metatype.name);
  }
}
