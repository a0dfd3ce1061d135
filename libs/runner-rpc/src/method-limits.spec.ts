import { describe, expect, it } from '@jest/globals';
import { RunnerService } from './gen/runner/v1/runner_pb';
import { limitsOf } from './method-limits';

describe('the limits of a method', () => {
  it.each(RunnerService.methods.map(({ name }) => name).filter((name) => name !== 'UpdateLog'))('are 32 MiB and any number of fields for %s', (name) => {
    expect(limitsOf(`runner.v1.RunnerService/${name}`)).toEqual({ bodyBytes: 33_554_432, records: Number.POSITIVE_INFINITY });
  });

  it('are as high as memory allows for UpdateLog', () => {
    expect(limitsOf('runner.v1.RunnerService/UpdateLog')).toEqual({ bodyBytes: 268_435_456, records: 100_000 });
  });
});
