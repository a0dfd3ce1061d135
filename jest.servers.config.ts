/** @jest-config-loader esbuild-register */
import type { Config } from 'jest';
import { base } from './jest.base';

/** `npm run test:servers`: suites against real servers whose addresses the environment names. */
const config: Config = {
  ...base,
  testMatch: ['<rootDir>/{apps,libs,tools}/**/*.server.spec.ts'],
};
export default config;
