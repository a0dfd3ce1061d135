/** The page's one style sheet; its digest stands in the page's security policy. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #f6f7f9; --card: #ffffff; --line: #e1e5ea; --ink: #1b222b; --quiet: #5b6774; --accent: #b4501b; --soft: #fbeee6;
  --code: #f2f4f7; --ok: #1f7a46; --ok-soft: #e4f4ea;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #12161b; --card: #1a2027; --line: #2b343e; --ink: #e5eaf0; --quiet: #98a5b3; --accent: #f0965a; --soft: #33241a;
    --code: #10141a; --ok: #6fd49a; --ok-soft: #16301f;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--ground); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif;
}
main { max-width: 56rem; margin: 0 auto; padding: 3rem 1.25rem 4rem; }
header { display: flex; align-items: center; gap: 1rem; margin-bottom: 2.25rem; }
header svg { flex: none; width: 3rem; height: 3rem; }
header p { margin: 0; color: var(--quiet); }
h1 { margin: 0; font-size: 1.6rem; line-height: 1.2; letter-spacing: -0.01em; }
.state {
  margin-left: auto; padding: 0.2rem 0.75rem; border-radius: 999px; background: var(--ok-soft); color: var(--ok);
  font-size: 0.85rem; font-weight: 600; white-space: nowrap;
}
section { margin-top: 1.25rem; padding: 1.5rem; border: 1px solid var(--line); border-radius: 0.75rem; background: var(--card); }
h2 { margin: 0 0 1rem; font-size: 1.05rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.35rem 1.5rem; margin: 0; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
.features { display: grid; grid-template-columns: repeat(auto-fill, minmax(15.5rem, 1fr)); gap: 0.75rem; margin: 1.25rem 0 0; padding: 0; list-style: none; }
.features li { padding: 0.7rem 0.9rem; border: 1px solid var(--line); border-radius: 0.5rem; }
.features strong { display: block; font-size: 0.95rem; }
.features span { color: var(--quiet); font-size: 0.875rem; line-height: 1.4; display: block; }
.steps { margin: 0; padding: 0; list-style: none; counter-reset: step; }
.steps > li { position: relative; padding: 0 0 1.6rem 3rem; counter-increment: step; }
.steps > li:last-child { padding-bottom: 0; }
.steps > li::before {
  content: counter(step); position: absolute; left: 0; top: 0; width: 1.9rem; height: 1.9rem; border-radius: 50%;
  background: var(--soft); color: var(--accent); font-weight: 700; font-size: 0.95rem; line-height: 1.9rem; text-align: center;
}
.steps > li:not(:last-child)::after { content: ""; position: absolute; left: 0.92rem; top: 2.35rem; bottom: 0.45rem; width: 1px; background: var(--line); }
h3 { margin: 0 0 0.25rem; font-size: 1rem; line-height: 1.9rem; }
section p { margin: 0 0 0.75rem; color: var(--quiet); }
section p:last-child { margin-bottom: 0; }
pre {
  margin: 0 0 0.75rem; padding: 0.85rem 1rem; overflow-x: auto; border: 1px solid var(--line); border-radius: 0.5rem; background: var(--code);
  tab-size: 2;
}
pre:last-child { margin-bottom: 0; }
code { font: 0.84rem/1.6 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
p code, dd code { padding: 0.1rem 0.35rem; border-radius: 0.3rem; background: var(--code); color: var(--ink); }
@media (max-width: 36rem) {
  main { padding-top: 1.75rem; }
  header { flex-wrap: wrap; }
  .state { margin-left: 0; }
  section { padding: 1.15rem; }
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: 0.6rem; }
  .steps > li { padding-left: 0; }
  h3 { padding-left: 2.6rem; margin-bottom: 0.5rem; }
  .steps > li:not(:last-child)::after { display: none; }
}
`;
