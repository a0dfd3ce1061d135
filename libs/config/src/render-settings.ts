import { SETTINGS, type Setting } from './settings';

/** `docs/configuration.md`. */
export function renderSettingsPage(): string {
  const groups = [...groupSettings()].map(([group, settings]) =>
    [`## ${group}`, '', '| setting | default | what it does |', '| --- | --- | --- |', ...settings.map(renderRow), ''].join('\n'),
  );
  return [
    '# Configuration',
    '',
    'All settings are environment variables. A setting marked “file” may also be given as `NAME_FILE`, the path of a file that holds the value.',
    'Sizes are written `512 KiB`, `32 MiB`, `2 GiB`; durations `250ms`, `30s`, `5m`, `1h30m`, `14d`. A value that cannot be read stops the start, with all problems in one message.',
    '',
    ...groups,
  ].join('\n');
}

/** `.env.example`: every setting, commented out, with its default. */
export function renderEnvExample(): string {
  const lines = [...groupSettings()].flatMap(([group, settings]) => [
    `# ${group}`,
    ...settings.flatMap(([name, setting]) => [`# ${setting.text}`, `#${name}=${setting.fallback ?? ''}`]),
    '',
  ]);
  return lines.join('\n');
}

type Named = readonly [string, Setting<unknown>];

function groupSettings(): Map<string, Named[]> {
  const groups = new Map<string, Named[]>();
  for (const entry of Object.entries(SETTINGS) as Named[]) {
    groups.set(entry[1].group, [...(groups.get(entry[1].group) ?? []), entry]);
  }
  return groups;
}

function renderRow([name, setting]: Named): string {
  const fallback = setting.fallback === undefined ? '' : `\`${setting.fallback}\``;
  return `| \`${name}\`${setting.isSecret ? ' (file)' : ''} | ${fallback} | ${setting.text} |`;
}
