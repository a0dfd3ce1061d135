/** @jest-config-loader esbuild-register */
import type { Config } from 'jest';
import { base } from './jest.base';

/** `npm run conformance`: suites that drive us with the real clients of a protocol. */
const config: Config = {
  ...base,
  testMatch: ['<rootDir>/libs/**/*.conformance.ts'],
};
export default config;
