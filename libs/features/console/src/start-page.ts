import { Html, html } from './html';
import { STYLE } from './page-style';

export interface StartPageFacts {
  readonly version: string;
  readonly publicUrl: string;
  /** Class names of the modules that this process carries: `TaskDispatcherModule`. */
  readonly features: readonly string[];
}

/** What each service does, for someone who has never heard of it. */
const PURPOSES: Readonly<Record<string, string>> = {
  EventIngestModule: 'Takes webhooks from the forges and serves clones to jobs',
  WorkflowDetectorModule: 'Finds the workflows that a push starts',
  TaskDispatcherModule: 'Hands jobs to runners and takes their results',
  LogArchiverModule: 'Keeps the logs, live and for later',
  StatusReporterModule: 'Reports to the forges how their commits fare',
  ConsoleModule: 'Serves this page and the description of the API',
};

const CLI = 'npm run -s triphammer --';

/** The page at `/`: what runs here, and how to get from nothing to the first job. It tells no secret and loads nothing. */
export function renderStartPage({ version, publicUrl, features }: StartPageFacts): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Triphammer</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(LOGO.text)}">
<style>${new Html(STYLE)}</style>
</head>
<body>
<main>
<header>
${LOGO}
<div>
<h1>Triphammer</h1>
<p>A CI scheduler for any forge</p>
</div>
<span class="state">Running</span>
</header>
<section>
<h2>What runs here</h2>
<dl>
<dt>Version</dt><dd>${version}</dd>
<dt>Address</dt><dd><code>${publicUrl}</code></dd>
</dl>
<ul class="features">
${features.map((feature) => html`<li><strong>${titleOf(feature)}</strong><span>${PURPOSES[feature] ?? ''}</span></li>`)}
</ul>
</section>
<section>
<h2>Three steps to the first job</h2>
<ol class="steps">
${STEPS.map(({ title, text, code }) => html`<li><h3>${title}</h3>${text}${code.map((block) => html`<pre><code>${block(publicUrl)}</code></pre>`)}</li>`)}
</ol>
</section>
<section>
<h2>The API</h2>
<p>Everything that the command line does goes through <code>/api/v1</code>, which has Gitea's paths where Gitea has them. Each call needs the admin token.</p>
<pre><code>curl -H "Authorization: Bearer $TRIPHAMMER_TOKEN" ${publicUrl}/api/v1/openapi.json</code></pre>
</section>
</main>
</body>
</html>
`.text;
}

interface Step {
  readonly title: string;
  readonly text: Html;
  readonly code: readonly ((publicUrl: string) => string)[];
}

const STEPS: readonly Step[] = [
  {
    title: 'Connect a forge',
    text: html`<p>In a checkout of Triphammer, with the access token of a bot account of your Gitea or Forgejo in <code>token.txt</code>. The answer says
how to set up the webhook. Unless this is the machine of Triphammer and its data folder the default one, also set <code>TRIPHAMMER_TOKEN</code> to
the admin token.</p>`,
    code: [
      (publicUrl) => `export TRIPHAMMER_URL=${publicUrl}
${CLI} forge add --kind gitea --name my-forge \\
  --url https://git.example.com --token-file token.txt`,
    ],
  },
  {
    title: 'Register a runner',
    text: html`<p>Make a registration token, then, in a folder for the runner, register and start it. Older releases call the program <code>act_runner</code>.</p>`,
    code: [
      () => `TOKEN=$(${CLI} registration-token create)`,
      (publicUrl) => `cat > runner.yaml <<'END'
runner:
  capacity: 1
  fetch_timeout: 55s
  fetch_interval: 1s
  fetch_interval_max: 1s
  labels: ["ubuntu-latest:host", "linux:host"]
cache:
  enabled: false
END
gitea-runner register --no-interactive --config runner.yaml --name runner-1 \\
  --instance ${publicUrl} --token "$TOKEN"
gitea-runner daemon --config runner.yaml`,
    ],
  },
  {
    title: 'Push',
    text: html`<p>Commit this to a repository of the forge as <code>.gitea/workflows/hello.yml</code>, push it, and watch.</p>`,
    code: [
      () => `on: push
jobs:
  hello:
    runs-on: linux
    steps:
      - run: echo "Hello from $(hostname)"`,
      () => `${CLI} run list
${CLI} run watch 1`,
    ],
  },
];

/** `TaskDispatcherModule` is the task dispatcher. */
function titleOf(feature: string): string {
  const words = feature
    .replace(/Module$/, '')
    .replaceAll(/(?<=[a-z])[A-Z]/g, ' $&')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const LOGO = html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48" role="img" aria-label="Triphammer">
<rect width="48" height="48" rx="11" fill="#b4501b"/>
<g fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" stroke-linejoin="round">
<path d="M11 38h26"/><path d="M16 38v-5h16v5"/><path d="M12 22 34 15"/><circle cx="12" cy="22" r="3" fill="#b4501b"/>
</g>
<path d="m30 9.600 6.600-2.100 4.200 13.200-6.600 2.100z" fill="#fff"/>
</svg>`;
