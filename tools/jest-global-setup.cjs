'use strict';
require('reflect-metadata');
require('@swc-node/register');

module.exports = async () => {
  const { setUp } = require('../libs/testing/src/jest-setup');
  globalThis.triphammerPostgres = await setUp();
};
