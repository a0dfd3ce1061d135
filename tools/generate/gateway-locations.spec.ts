import { describe, expect, it } from '@jest/globals';
import { renderGatewayLocations } from './gateway-locations';

describe("the gateway's locations of the API", () => {
  it('send each path to the service of its feature', () => {
    const text = renderGatewayLocations([
      { upstream: 'task_dispatcher', routes: [{ path: '/repos/{owner}/{repo}/actions/runs' }] },
      { upstream: 'log_archiver', routes: [{ path: '/jobs/{id}/log.txt' }] },
    ]);

    expect(linesOf(text)).toEqual([
      String.raw`location ~ ^/api/v1/jobs/[^/]+/log\.txt$ { proxy_pass http://log_archiver$request_uri; }`,
      'location ~ ^/api/v1/repos/[^/]+/[^/]+/actions/runs$ { proxy_pass http://task_dispatcher$request_uri; }',
    ]);
  });

  it('have one line for all methods of a path', () => {
    const text = renderGatewayLocations([{ upstream: 'console', routes: [{ path: '/runs/{id}' }, { path: '/runs/{run}' }] }]);

    expect(linesOf(text)).toHaveLength(1);
  });

  it('have a literal segment before a parameter in its place', () => {
    const text = renderGatewayLocations([
      { upstream: 'console', routes: [{ path: '/runs/{id}' }] },
      { upstream: 'task_dispatcher', routes: [{ path: '/runs/latest' }] },
    ]);

    expect(linesOf(text).map((line) => /http:\/\/(\w+)/.exec(line)?.[1])).toEqual(['task_dispatcher', 'console']);
  });

  it('let a live stream be silent for long', () => {
    const text = renderGatewayLocations([{ upstream: 'log_archiver', routes: [{ path: '/tail', contentType: 'text/event-stream; charset=utf-8' }] }]);

    expect(linesOf(text)).toEqual(['location ~ ^/api/v1/tail$ { proxy_read_timeout 1h; proxy_pass http://log_archiver$request_uri; }']);
  });

  it('cannot be made when two features serve one path', () => {
    const attempt = () =>
      renderGatewayLocations([
        { upstream: 'console', routes: [{ path: '/runs/{id}' }] },
        { upstream: 'task_dispatcher', routes: [{ path: '/runs/{run}' }] },
      ]);

    expect(attempt).toThrow('console and task_dispatcher both serve /runs/{run}');
  });
});

function linesOf(text: string): string[] {
  return text.split('\n').flatMap((line) => (line.trim().startsWith('location ~') ? [line.trim()] : []));
}
