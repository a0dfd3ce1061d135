import { z } from 'zod';

const MAX_REF = 1_024;

// git check-ref-format: no control characters, blanks, ~ ^ : ? * [ \, no "..", "@{", "//", no part that begins with "." or ends with ".lock".
const BAD_IN_REF = /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)|[/.]$/;

/** A commit or tag object, in a SHA-1 or a SHA-256 repository. */
export const OBJECT_ID = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, 'must be an object id of 40 or 64 hex digits');

/** A part of `owner/name`; it becomes part of URLs and paths. */
export const NAME_PART = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,100}$/, 'must consist of letters, digits, "-", "_" and "."')
  .refine((name) => name !== '.' && name !== '..', 'must not be "." or ".."');

/** May be empty: a repository without a commit has no default branch yet. */
export const BRANCH_NAME = z
  .string()
  .max(MAX_REF)
  .refine((name) => name === '' || !BAD_IN_REF.test(`refs/heads/${name}`), 'is not a well-formed branch name');

/** A full ref; git commands are given it. */
export const FULL_REF = z
  .string()
  .max(MAX_REF)
  .startsWith('refs/', 'must begin with "refs/"')
  .refine((ref) => !BAD_IN_REF.test(ref), 'is not a well-formed ref');
