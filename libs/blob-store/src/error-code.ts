/** What Node and the S3 client put into `code`. No instanceof: an error of Node may come from another realm than ours. */
export function errorCode(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
