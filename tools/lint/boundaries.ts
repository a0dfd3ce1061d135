const NEST = ['@nestjs/*'];
const DATABASE = ['typeorm', 'pg'];
const IO = [...NEST, ...DATABASE, 'fastify', 'undici', 'ioredis', 'minio', '@nats-io/*'];

/** "Who may import whom", by tag: options of `@nx/enforce-module-boundaries`. */
export const DEPENDENCIES = [
  allow('app', ['platform', 'feature', 'config']),
  allow('feature', ['domain', 'pure', 'port', 'protocol', 'kit', 'rpc', 'models', 'config', 'foundation']),
  allow('platform', ['domain', 'pure', 'port', 'protocol', 'kit', 'rpc', 'models', 'config', 'foundation']),
  allow('protocol', ['kit', 'pure', 'foundation'], [...NEST, ...DATABASE]),
  allow('domain', ['models', 'port', 'kit', 'pure', 'foundation'], NEST),
  allow('kit', ['foundation'], NEST),
  allow('rpc', ['foundation'], NEST),
  allow('config', ['foundation'], NEST),
  allow('models', ['foundation'], NEST),
  allow('port', ['foundation', 'models'], NEST),
  allow('pure', ['foundation', 'pure'], IO),
  allow('foundation', [], IO),
  { sourceTag: 'type:testing', onlyDependOnLibsWithTags: ['*'] },
  { sourceTag: 'type:harness', onlyDependOnLibsWithTags: ['*'] },
];

/** Tests may import what helps them to test; their other imports follow the rules of what they test. */
export const TEST_DEPENDENCIES = DEPENDENCIES.map((constraint) => ({
  ...constraint,
  onlyDependOnLibsWithTags: [...constraint.onlyDependOnLibsWithTags, 'type:testing'],
}));

/** A spec that uses the testing lib closes a circle with every lib that the testing lib builds on. */
export const CIRCLES_OF_TESTS = [['tag:type:testing', '*']];

function allow(tag: string, tags: readonly string[], bannedExternalImports: readonly string[] = []) {
  return { sourceTag: `type:${tag}`, onlyDependOnLibsWithTags: tags.map((each) => `type:${each}`), bannedExternalImports };
}
