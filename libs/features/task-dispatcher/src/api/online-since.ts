import type { ApiDeps } from './api-deps';

/** A runner that was seen since then counts as online. */
export function onlineSince({ clock, config }: ApiDeps): Date {
  return new Date(clock.now().getTime() - config.runners.offlineAfterMs);
}
