/** Makes git send the job's token in the way that checkout does, without a trace of it on the machine. */
const SEND_TOKEN = [
  'export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=http.extraheader GIT_TERMINAL_PROMPT=0',
  'export GIT_CONFIG_VALUE_0="AUTHORIZATION: basic $(printf \'x-access-token:%s\' "$TOKEN" | base64 -w0)"',
].join('\n');

function steps(...scripts: readonly string[]): string {
  return scripts.map((script) => `      - run: |\n${indent(script)}\n`).join('');
}

function indent(script: string): string {
  return script.trim().replaceAll(/^/gm, '          ');
}

const JOB = `
    runs-on: gitea-jobs
    env:
      TOKEN: \${{ github.token }}
    steps:
`;

const waitFor = (file: string) => `until [ -e ${file} ]; do sleep 0.1; done`;

/** One job. */
export function oneJob(...scripts: readonly string[]): string {
  return `name: CI\non: push\njobs:\n  build:${JOB}${steps(...scripts)}`;
}

/** A job that waits for the file before it goes on. */
export function gatedJob(file: string, ...scripts: readonly string[]): string {
  return oneJob(waitFor(file), ...scripts);
}

/** Each way in which a job ends, once the file is there. */
export function everyEnd(file: string): string {
  const jobs = [
    `  good:${JOB}${steps(waitFor(file), 'echo good')}`,
    `  bad:${JOB}${steps(waitFor(file), 'exit 3')}`,
    `  after-bad:\n    needs: bad${JOB}${steps('echo never')}`,
    `  after-good:\n    needs: good${JOB}${steps('echo then')}`,
  ];
  return `name: CI\non: push\njobs:\n${jobs.join('')}`;
}

/** Runs for tags alone, and looks at the tag as checkout does. */
export const TAGGED = `
name: Release
on:
  push:
    tags: ['v*']
jobs:
  publish:${JOB}${steps(`
${SEND_TOKEN}
git init -q tagged && cd tagged
git fetch -q --depth=1 "$GITHUB_SERVER_URL/$GITHUB_REPOSITORY" "+$GITHUB_REF:$GITHUB_REF"
echo "fetched $(git cat-file -t "$GITHUB_REF") of $(git rev-parse "$GITHUB_REF^{commit}"), told $GITHUB_SHA"
`)}`;

/** Fetches its repository, whatever it is called by now. */
export const CLONE_SELF = `
${SEND_TOKEN}
git clone -q "$GITHUB_SERVER_URL/$GITHUB_REPOSITORY" self
echo "cloned: $(git -C self rev-parse HEAD)"
`;

/** What a job may fetch: its own repository, in each way, and no other. All that git sends and hears is in the log. */
export function cloningJob({ tokenFile, other }: { readonly tokenFile: string; readonly other: string }): string {
  const trace = 'export GIT_TRACE_CURL=1 GIT_TRACE_CURL_NO_DATA=1 GIT_TRACE_REDACT=0';
  return oneJob(
    `printf %s "$TOKEN" > ${tokenFile}`,
    `
${SEND_TOKEN}
${trace}
git clone "$GITHUB_SERVER_URL/$GITHUB_REPOSITORY" whole
echo "whole: $(git -C whole rev-parse HEAD), $(git -C whole rev-list --count HEAD) commits"
cat whole/.git/config
`,
    `
${SEND_TOKEN}
${trace}
git init -q shallow && cd shallow
git fetch --no-tags --depth=1 "$GITHUB_SERVER_URL/$GITHUB_REPOSITORY" "+$GITHUB_SHA:refs/remotes/origin/main"
echo "shallow: $(git rev-parse origin/main), $(git rev-list --count origin/main) commits"
`,
    `
${SEND_TOKEN}
git clone -q "$GITHUB_SERVER_URL/${other}" other && echo "other: cloned" || echo "other: refused"
`,
    `
export GIT_TERMINAL_PROMPT=0
git clone -q "$GITHUB_SERVER_URL/$GITHUB_REPOSITORY" nobody && echo "nobody: cloned" || echo "nobody: refused"
`,
    'env',
  );
}
