/** @jest-config-loader esbuild-register */
import type { Config } from 'jest';
import { base } from './jest.base';

/** `npm test`: everything that needs no more than what `npm ci` brought. */
const config: Config = {
  ...base,
  testMatch: ['<rootDir>/{apps,libs,tools,e2e,bench}/**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/', '\\.server\\.spec\\.ts$'],
};
export default config;
