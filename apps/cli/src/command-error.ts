/** Ends a command: its message is what the person reads, and all that they read. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** The server could not be spoken to; asking again later may help. */
export class UnreachableError extends CommandError {}
