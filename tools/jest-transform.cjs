'use strict';
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const swc = require('@swc/core');
const SELF = fs.readFileSync(__filename);
const typeOf = new Map();
function packageType(folder) {
  const known = typeOf.get(folder);
  if (known) return known;
  let type = 'commonjs';
  try {
    type = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')).type === 'module' ? 'module' : 'commonjs';
  } catch {
    const parent = path.dirname(folder);
    if (parent !== folder && path.basename(folder) !== 'node_modules') type = packageType(parent);
  }
  typeOf.set(folder, type);
  return type;
}
const isEsm = (f) => f.endsWith('.mjs') || (!f.endsWith('.cjs') && packageType(path.dirname(f)) === 'module');
const common = { module: { type: 'commonjs', ignoreDynamic: false }, sourceMaps: 'inline', configFile: false, swcrc: false };
const typescript = {
  ...common,
  jsc: {
    target: 'es2022',
    keepClassNames: true,
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
  },
};
const javascript = { ...common, isModule: true, jsc: { target: 'es2022', keepClassNames: true, parser: { syntax: 'ecmascript', importAttributes: true } } };
// swc renames a top-level __dirname, __filename, require or exports only where its own output uses the name: make it use them.
const USE_WRAPPER_NAMES = '\n;void [import.meta.dirname, import.meta.filename];\n';
const TOP_LEVEL_MODULE = /^(?:export\s+)?(?:const|let|var|function|class)\s+module\b/m;
module.exports = {
  getCacheKey: (source, file, o) =>
    createHash('sha1')
      .update(SELF)
      .update(swc.version)
      .update(source)
      .update('\0')
      .update(file)
      .update('\0')
      .update(String(o.instrument))
      .update(isEsm(file) ? 'm' : 'c')
      .digest('hex'),
  process(source, file) {
    if (/\.[cm]?tsx?$/.test(file)) return swc.transformSync(source, { ...typescript, filename: file });
    if (!isEsm(file)) return { code: source };
    if (TOP_LEVEL_MODULE.test(source)) throw new Error(`${file} declares a top-level "module"`);
    return swc.transformSync(source + USE_WRAPPER_NAMES, { ...javascript, filename: file });
  },
};
