import type { ForgeKind } from '@triphammer/forges';

/** What is left to do at the forge, for whoever has just connected it. */
export function nextSteps(kind: ForgeKind, webhookUrl: string): string {
  return kind === 'gitea' ? giteaSteps(webhookUrl) : gitSteps();
}

function giteaSteps(webhookUrl: string): string {
  return `1. At the forge add a webhook of the type "Gitea" (Forgejo: "Forgejo"): a system webhook for all repositories, or one of an organisation or a repository.
   Target URL ${webhookUrl}, method POST, content type application/json, the secret above, trigger on all events.
2. Press "Test delivery". It must be green, and shows up among the deliveries here; it starts nothing.
   If it fails with "webhook can only call allowed HTTP servers", the forge does not let webhooks go to private addresses. Add to its app.ini
     [webhook]
     ALLOWED_HOST_LIST = ${new URL(webhookUrl).hostname}
   (newest Gitea: in the section [security]) and restart the forge.
3. Give the token's account write access to the repositories, so that commits show their status.
`;
}

function gitSteps(): string {
  return `1. Save hook_script as hooks/post-receive of each bare repository, with mode 0700, for the user that git runs as. It needs curl and openssl on the git server, and holds the secret.
2. Where repositories are not below the folder that was given here, name each one once: git config triphammer.repository team/app.git
3. Push a commit. It shows up among the deliveries here.
`;
}
