import type { LoggerService } from '@nestjs/common';
import type { Logger } from 'pino';

/** Lets Nest, and the features through Nest's `Logger`, write into pino. */
export class NestLogger implements LoggerService {
  constructor(private readonly pino: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.write('info', message, rest);
  }
  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }
  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }
  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }
  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }

  /** Nest appends the context's name; a feature passes `{ msg, …fields }` or an Error besides plain text. */
  private write(level: 'info' | 'error' | 'warn' | 'debug' | 'trace', message: unknown, rest: unknown[]): void {
    const context = rest.at(-1);
    const fields = { context, ...(rest.length > 1 && rest[0] !== undefined ? { detail: rest[0] } : {}) };
    if (message instanceof Error) this.pino[level]({ ...fields, err: message }, message.message);
    else if (typeof message === 'object' && message !== null) {
      const { msg, ...others } = message as { msg?: unknown };
      this.pino[level]({ ...fields, ...others }, typeof msg === 'string' ? msg : '');
    } else this.pino[level](fields, String(message));
  }
}
