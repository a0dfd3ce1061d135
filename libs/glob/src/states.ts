import { accepts, type CharacterSet } from './character-set';

/**
 * One position in a pattern. On a character of its set the match moves to the next state and, if it loops, stays here
 * as well; `skips` are the distances, forward, to states that may be entered from here without a character.
 */
export interface State {
  readonly set: CharacterSet;
  readonly loops: boolean;
  readonly skips: readonly number[];
}

/**
 * Follows all positions at once, so the work is bounded by states × characters whatever the pattern looks like.
 * `steps` counts the states visited.
 */
export function simulate(states: readonly State[], subject: string): { readonly matches: boolean; readonly steps: number } {
  let steps = 0;
  let current = new Uint8Array(states.length + 1);
  let next = new Uint8Array(states.length + 1);
  current[0] = 1;
  followSkips(states, current);
  for (const char of subject) {
    let alive = false;
    next.fill(0);
    for (let index = 0; index < states.length; index += 1) {
      if (current[index] === 0) continue;
      steps += 1;
      const state = states[index];
      if (!state || !accepts(state.set, char)) continue;
      next[index + 1] = 1;
      if (state.loops) next[index] = 1;
      alive = true;
    }
    if (!alive) return { matches: false, steps };
    followSkips(states, next);
    [current, next] = [next, current];
  }
  return { matches: current[states.length] === 1, steps };
}

/** Skips lead forward only: one pass in order finds all that can be entered. */
function followSkips(states: readonly State[], entered: Uint8Array): void {
  for (let index = 0; index < states.length; index += 1) {
    if (entered[index] === 0) continue;
    for (const distance of states[index]?.skips ?? []) entered[index + distance] = 1;
  }
}
