/** Code below the features gets the time from here, so that a test can move it. */
export interface Clock {
  now(): Date;
}

/** Nest's token for the process's clock. */
export const CLOCK = Symbol('Clock');

export const systemClock: Clock = { now: () => new Date() };
