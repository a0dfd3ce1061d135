/** @jest-config-loader esbuild-register */
import type { Config } from 'jest';
import { base } from './jest.base';

/** `npm run e2e`: the built product, a real runner and a real forge. One file is one installation; they run one after the other. */
const { globalSetup: _setup, globalTeardown: _teardown, ...shared } = base;
const config: Config = {
  ...shared,
  testMatch: ['<rootDir>/e2e/**/*.e2e.ts'],
  testTimeout: 180_000,
  maxWorkers: 1,
  // A part that could not start must not keep the others' processes, and with them Jest, alive.
  forceExit: true,
};
export default config;
