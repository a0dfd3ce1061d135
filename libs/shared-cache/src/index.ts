export type { ErrorHook, SharedCache, Subscriber, Unsubscribe } from './shared-cache';
export { SHARED_CACHE } from './shared-cache';
