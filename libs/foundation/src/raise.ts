/** For an invariant in expression position: `map.get(key) ?? raise('…')`. It names a defect of ours, never bad input. */
export function raise(message: string): never {
  throw new Error(message);
}
