import { type Call, type CliCommand, idOf } from './command';
import { printable, renderFacts, renderTable } from './table';
import { ageText } from './time-text';

interface Verdict {
  readonly code: string;
  readonly text: string;
}

interface WorkflowVerdict extends Verdict {
  readonly path: string;
  /** What is wrong with the file, and what is odd about it. */
  readonly diagnostics?: readonly { readonly severity: string; readonly line: number; readonly column: number; readonly message: string }[];
}

interface Delivery {
  readonly id: number;
  readonly forge: string;
  readonly event: string;
  readonly action: string | null;
  readonly repository: string | null;
  readonly ref: string | null;
  readonly sha: string | null;
  readonly status: string;
  readonly received_at: string;
  readonly trace?: (Verdict & { readonly workflows?: readonly WorkflowVerdict[] }) | null;
}

export const DELIVERY_COMMANDS: readonly CliCommand[] = [
  {
    group: 'delivery',
    usage: 'list',
    summary: 'list the webhooks that came, the newest first',
    options: [
      { flags: '--repo <owner/name>', summary: 'about one repository' },
      { flags: '--forge <forge>', summary: 'of one forge, by its number' },
      { flags: '--commit <sha>', summary: 'about one commit' },
      { flags: '--limit <number>', summary: 'how many, at most 50' },
    ],
    work: listDeliveries,
  },
  { group: 'delivery', usage: 'show <delivery>', summary: 'show what became of a webhook, and why, for each workflow', work: showDelivery },
];

async function listDeliveries(call: Call): Promise<void> {
  const deliveries = await call.client.get<readonly Delivery[]>('/deliveries', {
    repository: call.option('repo'),
    forge: call.option('forge'),
    sha: call.option('commit'),
    limit: call.option('limit'),
  });
  const rows = deliveries.map((delivery) => [
    String(delivery.id),
    delivery.forge,
    delivery.event,
    delivery.repository ?? '',
    delivery.ref ?? '',
    (delivery.sha ?? '').slice(0, 10),
    delivery.status,
    ageText(delivery.received_at, call.terminal.now()),
  ]);
  call.show(deliveries, renderTable(['DELIVERY', 'FORGE', 'EVENT', 'REPOSITORY', 'REF', 'COMMIT', 'STATUS', 'RECEIVED'], rows));
}

async function showDelivery(call: Call): Promise<void> {
  const delivery = await call.client.get<Delivery>(`/deliveries/${idOf(call.subject, 'delivery')}`);
  const { trace } = delivery;
  const facts = renderFacts([
    ['Delivery', String(delivery.id)],
    ['Forge', delivery.forge],
    ['Event', [delivery.event, delivery.action].filter(Boolean).join(' ')],
    ['Repository', delivery.repository],
    ['Ref', delivery.ref],
    ['Commit', delivery.sha],
    ['Received', delivery.received_at],
    ['Status', delivery.status],
    ['Outcome', trace && `${trace.text} (${trace.code})`],
  ]);
  const verdicts = (trace?.workflows ?? []).flatMap(describeVerdict).map((line) => `${printable(line)}\n`);
  call.show(delivery, facts + (verdicts.length === 0 ? '' : `\nWorkflows\n${verdicts.join('')}`));
}

function describeVerdict({ path, text, code, diagnostics = [] }: WorkflowVerdict): readonly string[] {
  return [
    `  ${path}: ${text} (${code})`,
    ...diagnostics.map(({ severity, line, column, message }) => `    ${path}:${line}:${column}: ${severity}: ${message}`),
  ];
}
