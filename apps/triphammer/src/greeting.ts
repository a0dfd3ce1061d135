export interface GreetingFacts {
  readonly address: string;
  readonly dataFolder: string;
  /** Absent when the setting `ADMIN_TOKEN` gave the token. */
  readonly adminTokenFile: string | undefined;
  /** Absent when tokens come from the API alone. */
  readonly registrationToken: string | undefined;
}

/**
 * What a person needs after the first start: where everything lies, and how a stock runner joins. `runner.yaml` names
 * the labels, because those of a configuration win over those of the registration, and a generated one has docker
 * labels; and it sets the times of polling, because with the default ones a runner listens only half of the time.
 */
export function renderGreeting(facts: GreetingFacts): string {
  const places = [
    ['Address', facts.address],
    ['Data folder', facts.dataFolder],
    ['Admin token', facts.adminTokenFile === undefined ? 'the one that ADMIN_TOKEN set' : `in ${facts.adminTokenFile}`],
  ] as const;
  return [
    '',
    'Triphammer is ready.',
    '',
    ...places.map(([name, place]) => `  ${name.padEnd(13)} ${place}`),
    '',
    'To add a runner, make a folder for it, save this there as runner.yaml:',
    '',
    ...RUNNER_CONFIGURATION.map(indent),
    '',
    `and run there (gitea-runner; older ones are called act_runner)${facts.registrationToken === undefined ? ', with a registration token from the API' : ''}:`,
    '',
    ...runnerCommands(facts).map(indent),
    '',
    '',
  ].join('\n');
}

const RUNNER_CONFIGURATION = [
  'runner:',
  '  capacity: 1',
  '  fetch_timeout: 55s',
  '  fetch_interval: 1s',
  '  fetch_interval_max: 1s',
  '  labels:',
  '    - ubuntu-latest:host',
  '    - linux:host',
  'cache:',
  '  enabled: false',
];

function runnerCommands({ address, registrationToken = '$TOKEN' }: GreetingFacts): readonly string[] {
  return [
    `gitea-runner register --no-interactive --config runner.yaml --instance ${address} --token ${registrationToken} --name runner-1`,
    'gitea-runner daemon --config runner.yaml',
  ];
}

function indent(line: string): string {
  return `  ${line}`;
}
