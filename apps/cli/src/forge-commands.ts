import { type Call, type CliCommand, idOf } from './command';
import { readToken } from './server-address';
import { renderFacts, renderTable } from './table';

interface Forge {
  readonly id: number;
  readonly name: string;
  readonly kind: string;
  readonly url: string;
  readonly namespace: string | null;
}

interface AddedForge extends Forge {
  readonly webhook_url: string;
  readonly webhook_secret: string;
  readonly hook_script?: string;
  readonly next_steps: string;
}

export const FORGE_COMMANDS: readonly CliCommand[] = [
  {
    group: 'forge',
    usage: 'add',
    summary: 'connect a forge',
    ownsAddress: true,
    options: [
      { flags: '--kind <kind>', summary: 'gitea (Forgejo too) or git', isRequired: true },
      { flags: '--name <name>', summary: 'what the forge is called here', isRequired: true },
      { flags: '--url <url>', summary: "the forge's address; for plain git also an absolute folder", isRequired: true },
      { flags: '--token-file <file>', summary: 'file with the access token of a bot account; - reads it from the input' },
      { flags: '--username <name>', summary: 'user that goes with the token, for plain git' },
      { flags: '--namespace <owner>', summary: 'put all repositories of the forge under this owner' },
    ],
    work: addForge,
  },
  { group: 'forge', usage: 'list', summary: 'list the connected forges', work: listForges },
  { group: 'forge', usage: 'remove <forge>', summary: 'remove a connection', work: removeForge },
];

async function addForge(call: Call): Promise<void> {
  const tokenFile = call.option('tokenFile');
  const answer = await call.client.post<AddedForge>('/forges', {
    kind: call.option('kind'),
    name: call.option('name'),
    url: call.option('url'),
    token: tokenFile === undefined ? undefined : await readToken(call.terminal, tokenFile),
    username: call.option('username'),
    namespace: call.option('namespace'),
  });
  call.show(answer, describeAdded(answer));
}

/** The secret is shown this once: nobody can ask for it later. */
function describeAdded(forge: AddedForge): string {
  const facts = renderFacts([
    ['Forge', `${forge.id} (${forge.name})`],
    ['URL', forge.url],
    ['Namespace', forge.namespace],
    ['Webhook', forge.webhook_url],
    ['Secret', forge.webhook_secret],
  ]);
  const hook = forge.hook_script === undefined ? '' : `\nhook_script:\n\n${forge.hook_script.trimEnd()}\n`;
  return `${facts}\n${forge.next_steps.trimEnd()}\n${hook}`;
}

async function listForges(call: Call): Promise<void> {
  const forges = await call.client.get<readonly Forge[]>('/forges', { limit: 50 });
  const rows = forges.map((forge) => [String(forge.id), forge.name, forge.kind, forge.url, forge.namespace ?? '']);
  call.show(forges, renderTable(['FORGE', 'NAME', 'KIND', 'URL', 'NAMESPACE'], rows));
}

async function removeForge(call: Call): Promise<void> {
  const id = idOf(call.subject, 'forge');
  await call.client.delete(`/forges/${id}`);
  call.show({ id, removed: true }, `Forge ${id} is removed.\n`);
}
