'use strict';
require('@swc-node/register');

module.exports = require('./tools/lint/config').config;
