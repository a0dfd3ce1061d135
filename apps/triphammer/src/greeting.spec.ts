import { describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import { type GreetingFacts, renderGreeting } from './greeting';

const FACTS: GreetingFacts = {
  address: 'http://127.0.0.1:3000/ci',
  dataFolder: '/srv/triphammer',
  adminTokenFile: '/srv/triphammer/admin-token',
  registrationToken: 'r'.repeat(40),
};

describe('the greeting', () => {
  it('says where everything is', () => {
    const text = renderGreeting(FACTS);

    expect(text).toMatch(/Address +http:\/\/127\.0\.0\.1:3000\/ci$/m);
    expect(text).toMatch(/Data folder +\/srv\/triphammer$/m);
    expect(text).toMatch(/Admin token +in \/srv\/triphammer\/admin-token$/m);
  });

  it('has the two commands that a runner needs, ready to be run', () => {
    const commands = linesOf(renderGreeting(FACTS)).filter((line) => line.startsWith('gitea-runner '));

    expect(commands).toEqual([
      `gitea-runner register --no-interactive --config runner.yaml --instance http://127.0.0.1:3000/ci --token ${'r'.repeat(40)} --name runner-1`,
      'gitea-runner daemon --config runner.yaml',
    ]);
  });

  it('has a runner configuration that listens all the time and needs no Docker', () => {
    const configuration = load(configurationOf(renderGreeting(FACTS)));

    expect(configuration).toEqual({
      runner: { capacity: 1, fetch_timeout: '55s', fetch_interval: '1s', fetch_interval_max: '1s', labels: ['ubuntu-latest:host', 'linux:host'] },
      cache: { enabled: false },
    });
  });

  it('names the setting when the admin token came from there', () => {
    const text = renderGreeting({ ...FACTS, adminTokenFile: undefined });

    expect(text).toMatch(/Admin token +the one that ADMIN_TOKEN set$/m);
  });

  it('sends a person to the API when there is no registration token', () => {
    const text = renderGreeting({ ...FACTS, registrationToken: undefined });

    expect(text).toContain('with a registration token from the API');
    expect(text).toContain('--token $TOKEN ');
  });
});

function linesOf(text: string): string[] {
  return text.split('\n').map((line) => line.trim());
}

function configurationOf(text: string): string {
  const lines = text.split('\n');
  const begin = lines.indexOf('  runner:');
  return lines.slice(begin, lines.indexOf('', begin)).join('\n');
}
