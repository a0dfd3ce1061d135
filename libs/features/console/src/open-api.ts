import * as loaded from '../../../../docs/openapi.json';

// Whether JSON has a default export beside its keys is a matter of who loads it: node, a bundler or a test.
const { default: _default, ...document } = loaded as typeof loaded & { readonly default?: unknown };

/** The description of the whole API, as `npm run generate` makes it. */
export const OPEN_API = document;
