import type { Config } from 'jest';

/** What all suites share; each config adds the files it runs. */
export const base: Config = {
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['node', 'node-addons'] },
  transform: { '\\.[cm]?[jt]sx?$': '<rootDir>/tools/jest-transform.cjs' },
  transformIgnorePatterns: [],
  moduleFileExtensions: ['ts', 'js', 'mjs', 'cjs', 'json', 'node'],
  modulePathIgnorePatterns: ['<rootDir>/apps/.*/dist/'],
  globalSetup: '<rootDir>/tools/jest-global-setup.cjs',
  globalTeardown: '<rootDir>/tools/jest-global-teardown.cjs',
  setupFiles: ['reflect-metadata'],
  maxWorkers: 2,
  testTimeout: 30_000,
};
