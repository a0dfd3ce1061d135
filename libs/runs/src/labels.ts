import { sha256 } from '@triphammer/foundation';

/** Labels as they are compared: lower case, each once, in order. */
export function normalizeLabels(labels: readonly string[]): readonly string[] {
  return [...new Set(labels.map((label) => label.toLowerCase()))].sort();
}

/** The first 53 bits of sha256 over the normalized labels: equal for equal sets, and exact as a number. */
export function labelKey(labels: readonly string[]): number {
  return Number(sha256(normalizeLabels(labels).join('\0')).readBigUInt64BE() >> 11n);
}

/** The labels that a runner would lack to take the job; empty when it may. A job without labels goes to any runner. */
export function lackingLabels(runnerLabels: readonly string[], jobLabels: readonly string[]): readonly string[] {
  const has = new Set(runnerLabels.map((label) => label.toLowerCase()));
  return jobLabels.filter((label) => !has.has(label.toLowerCase()));
}

/**
 * The job's labels as the runner spells them, because stock runners compare exactly. A job without labels gets the
 * runner's first one, so that the payload names some.
 */
export function inRunnersSpelling(jobLabels: readonly string[], runnerLabels: readonly string[]): readonly string[] {
  const spelling = new Map(runnerLabels.map((label) => [label.toLowerCase(), label]));
  if (jobLabels.length === 0) return runnerLabels.slice(0, 1);
  return jobLabels.map((label) => spelling.get(label.toLowerCase()) ?? label);
}
