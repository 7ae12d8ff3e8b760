const dark = `--inbox-background: #17232c; --inbox-text: #e6eef3; --inbox-quiet: #a3b4c0; --inbox-line: #33444f;
  --inbox-strong: #6cc5e2; --inbox-fresh: #1f303b; --inbox-bad: #ff9a92; --inbox-on: #06222d;`

const text = `
:host {
  --inbox-background: #fff; --inbox-text: #1d2b36; --inbox-quiet: #55656f; --inbox-line: #d5dde2; --inbox-strong: #0b6e8f;
  --inbox-fresh: #eef7fa; --inbox-bad: #b3261e; --inbox-on: #fff; --inbox-radius: .5rem;
  display: inline-block; position: relative; font: 1rem/1.4 system-ui, sans-serif; color: var(--inbox-text);
}
:host([hidden]), [hidden] { display: none !important }
:host([inline]) { display: block }
:host([theme=dark]) { ${dark} }
@media (prefers-color-scheme: dark) { :host(:not([theme=light])) { ${dark} } }
button {
  font: inherit; color: inherit; background: none; border: 0; border-radius: .25rem; cursor: pointer; padding: .25rem .5rem;
  min-block-size: 2rem;
}
button:hover { background: var(--inbox-fresh) }
:focus-visible { outline: 3px solid var(--inbox-strong); outline-offset: -2px }
.bell { position: relative; padding: .5rem; line-height: 0 }
svg { inline-size: 1.5rem; block-size: 1.5rem; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round }
.badge {
  position: absolute; inset-block-start: 0; inset-inline-end: 0; min-inline-size: 1.25rem; padding: 0 .25rem; box-sizing: border-box;
  font-size: .75rem; line-height: 1.25rem; border-radius: 1rem; background: var(--inbox-strong); color: var(--inbox-on);
}
.panel {
  box-sizing: border-box; display: flex; flex-direction: column; background: var(--inbox-background);
  border: 1px solid var(--inbox-line); border-radius: var(--inbox-radius); overflow: hidden;
}
:host(:not([inline])) .panel {
  position: absolute; z-index: 1000; inset-inline-end: 0; inset-block-start: calc(100% + .25rem); inline-size: 24rem;
  max-inline-size: calc(100vw - 1rem); max-block-size: min(36rem, 80vh); box-shadow: 0 .5rem 2rem #0004;
}
:host(:not([inline])) .panel.start { inset-inline: 0 auto }
@media (max-width: 480px) {
  :host(:not([inline])) .panel.panel { position: fixed; inset: 0; inline-size: auto; max-inline-size: none; max-block-size: none; border: 0; border-radius: 0 }
}
header { display: flex; align-items: center; flex-wrap: wrap; gap: .25rem; padding: .5rem .5rem .5rem 1rem; border-block-end: 1px solid var(--inbox-line) }
h2 { font-size: 1rem; margin: 0; flex: 1 0 70% }
header button { font-size: .875rem; color: var(--inbox-strong); margin-inline-start: -.5rem; margin-inline-end: .5rem }
header .close { margin: 0 }
header [aria-pressed=true] { background: var(--inbox-fresh) }
ul { list-style: none; margin: 0; padding: 0; overflow: auto; overscroll-behavior: contain; flex: 1 }
li { display: flex; gap: .25rem; padding: .75rem .5rem .75rem 1rem; border-block-end: 1px solid var(--inbox-line); border-inline-start: 4px solid transparent }
li.unread { background: var(--inbox-fresh); border-inline-start-color: var(--inbox-strong) }
.what { flex: 1; min-inline-size: 0; overflow-wrap: anywhere; color: inherit; text-decoration: none }
.title { display: block; font-weight: 600 }
.body { display: block; white-space: pre-line; max-block-size: 5.6em; overflow: hidden }
time, .none { font-size: .875rem; color: var(--inbox-quiet) }
.act { flex: none; align-self: start; padding: .25rem; line-height: 0; color: var(--inbox-quiet) }
.act svg { inline-size: 1.25rem; block-size: 1.25rem }
.none, .fault { margin: 0; padding: 1.5rem 1rem; text-align: center }
.fault { color: var(--inbox-bad) }
.older { border-radius: 0; color: var(--inbox-strong); padding: .5rem }
.unseen { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
@media (forced-colors: active) { li.unread { border-inline-start-color: Highlight } }
`

let sheet
/** Returns a constructed style sheet, which also works if the page's policy forbids inline styles. */
export function style() {
  if (!sheet) {
    sheet = new CSSStyleSheet()
    sheet.replaceSync(text)
  }
  return sheet
}
