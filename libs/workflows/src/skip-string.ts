const SKIP_STRINGS = ['[skip ci]', '[ci skip]', '[no ci]', '[skip actions]', '[actions skip]'] as const;

/** The text anywhere in a commit message or pull request title that asks for no runs; case-sensitive. Null without one. */
export function findSkipString(message: string): string | null {
  return SKIP_STRINGS.find((text) => message.includes(text)) ?? null;
}
