/** A place in a workflow file; both count from 1, columns in UTF-16 units as editors do. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export type DiagnosticCode =
  | 'yaml-syntax'
  | 'yaml-limit'
  | 'yaml-not-allowed'
  | 'duplicate-key'
  | 'missing-key'
  | 'unknown-key'
  | 'wrong-type'
  | 'wrong-value'
  | 'unknown-event'
  | 'unknown-filter-key'
  | 'invalid-pattern'
  | 'filter-without-effect'
  | 'surprising-filter'
  | 'invalid-job-id'
  | 'unknown-need'
  | 'needs-cycle'
  | 'missing-runs-on'
  | 'invalid-step'
  | 'invalid-expression'
  | 'unknown-matrix-property'
  | 'too-many-jobs'
  | 'run-too-large'
  | 'not-supported-yet'
  | 'not-honoured-yet';

/** What a person who wrote the workflow should know. An error means that the file cannot run; a warning, that it runs. */
export interface Diagnostic extends Position {
  readonly severity: 'error' | 'warning';
  readonly code: DiagnosticCode;
  readonly message: string;
}

/** A file full of mistakes is explained well enough by this many of each severity. */
const MAX_DIAGNOSTICS = 100;

/** Collects everything that is to be said about one file. */
export class DiagnosticLog {
  private readonly errors: Diagnostic[] = [];
  private readonly warnings: Diagnostic[] = [];

  get hasErrors(): boolean {
    return this.errors.length > 0;
  }

  error(at: Position, code: DiagnosticCode, message: string): void {
    if (this.errors.length < MAX_DIAGNOSTICS) this.errors.push({ severity: 'error', code, message, line: at.line, column: at.column });
  }

  warning(at: Position, code: DiagnosticCode, message: string): void {
    if (this.warnings.length < MAX_DIAGNOSTICS) this.warnings.push({ severity: 'warning', code, message, line: at.line, column: at.column });
  }

  addAll(other: DiagnosticLog): void {
    this.errors.push(...other.errors);
    this.warnings.push(...other.warnings);
  }

  /** In the order of the file. */
  all(): readonly Diagnostic[] {
    return [...this.errors, ...this.warnings].sort((a, b) => a.line - b.line || a.column - b.column);
  }
}

const MAX_QUOTED = 80;

/** A user's text inside a message: quoted, on one line, cut where it would fill the page. */
export function quote(text: string): string {
  return JSON.stringify(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text);
}
