'use strict';

module.exports = async () => {
  await globalThis.triphammerPostgres?.stop();
};
