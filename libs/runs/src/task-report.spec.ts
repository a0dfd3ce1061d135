import { describe, expect, it } from '@jest/globals';
import type { TaskStatus } from '@triphammer/models/runs';
import { foldReport, type TaskResult, type TaskVerdict } from './task-report';

describe('a report', () => {
  it.each<[TaskStatus, TaskResult | undefined, TaskStatus, TaskVerdict]>([
    ['claimed', undefined, 'running', 'go-on'],
    ['running', undefined, 'running', 'go-on'],
    ['running', 'success', 'success', 'go-on'],
    ['running', 'cancelled', 'cancelled', 'go-on'],
    ['claimed', 'failure', 'failure', 'go-on'],
    ['success', 'success', 'success', 'go-on'],
    ['success', undefined, 'success', 'cancelled'],
    ['cancelling', undefined, 'cancelling', 'cancelled'],
    ['cancelling', 'success', 'cancelled', 'cancelled'],
    ['cancelled', 'success', 'cancelled', 'cancelled'],
    ['cancelled', undefined, 'cancelled', 'cancelled'],
    ['failure', undefined, 'failure', 'cancelled'],
    ['abandoned', undefined, 'abandoned', 'cancelled'],
    ['abandoned', 'success', 'abandoned', 'cancelled'],
  ])('on a task that is %s, with the result %s, leaves it %s and answers %s', (status, result, next, verdict) => {
    expect(foldReport(status, result)).toEqual({ next, verdict });
  });
});
