const dark = `--bot-background: #17232c; --bot-text: #e6eef3; --bot-quiet: #a3b4c0; --bot-line: #33444f; --bot-strong: #6cc5e2;
  --bot-own: #1f303b; --bot-bad: #ff9a92; --bot-on: #06222d;`

const style = `
:host {
  --bot-background: #fff; --bot-text: #1d2b36; --bot-quiet: #55656f; --bot-line: #7d8d97; --bot-strong: #0b6e8f; --bot-own: #e8f3f7;
  --bot-bad: #b3261e; --bot-on: #fff;
  display: block; max-inline-size: 32rem; font: 1rem/1.4 system-ui, sans-serif; color: var(--bot-text);
}
:host([hidden]), [hidden] { display: none !important }
:host([theme=dark]) { ${dark} }
@media (prefers-color-scheme: dark) { :host(:not([theme=light])) { ${dark} } }
section { display: flex; flex-direction: column; block-size: min(36rem, 85vh); background: var(--bot-background); border: 1px solid var(--bot-line); border-radius: .5rem; overflow: hidden }
h2 { font-size: 1rem; margin: 0; padding: .75rem 1rem; border-block-end: 1px solid var(--bot-line) }
.log { padding: 1rem; flex: 1; overflow: auto; overscroll-behavior: contain }
.line { margin-block-end: .75rem; white-space: pre-line; overflow-wrap: anywhere }
.own { background: var(--bot-own); border-radius: .5rem; padding: .5rem .75rem; margin-inline-start: 15% }
.who { display: block; font-size: .8125rem; color: var(--bot-quiet) }
.fault { color: var(--bot-bad) }
.state { margin: 0; padding: 0 1rem; font-size: .875rem; color: var(--bot-quiet); min-block-size: 1.4em }
form { display: flex; flex-wrap: wrap; gap: .5rem; padding: .5rem 1rem 1rem }
textarea { flex: 1 1 12rem; min-inline-size: 0; box-sizing: border-box; font: inherit; color: inherit; background: var(--bot-background); border: 1px solid var(--bot-line); border-radius: .25rem; padding: .5rem; resize: none }
button { font: inherit; min-block-size: 2.5rem; padding: .25rem .75rem; border-radius: .25rem; border: 1px solid var(--bot-strong); color: var(--bot-strong); background: none; cursor: pointer }
button.send { background: var(--bot-strong); color: var(--bot-on) }
.starters { display: flex; flex-wrap: wrap; gap: .5rem; padding: 0 1rem }
:focus-visible { outline: 3px solid var(--bot-strong); outline-offset: 2px }
.contact, .rate { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin: 0; padding: .5rem 1rem; border: 0; border-block-start: 1px solid var(--bot-line) }
.rating { padding: 0 }
.rate { flex: 1 1 100%; box-sizing: border-box; min-inline-size: 0 }
.contact label, .rate legend { flex: 1 0 100%; padding: 0; font-size: .875rem }
.rate legend { float: inline-start }
.contact input, .rate textarea { flex: 1 1 10rem; min-inline-size: 0; box-sizing: border-box; min-block-size: 2.5rem; font: inherit; color: inherit; background: var(--bot-background); border: 1px solid var(--bot-line); border-radius: .25rem; padding: .25rem .5rem }
.scores { display: flex; flex: 1 0 100%; flex-wrap: wrap; gap: .5rem }
.scores label { flex: none; display: flex; gap: .25rem; align-items: center; min-block-size: 2.5rem; padding-inline: .5rem; border: 1px solid var(--bot-line); border-radius: .25rem; cursor: pointer }
.scores label:has(:checked) { border-color: var(--bot-strong); background: var(--bot-own) }
.unseen { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
`

let sheet
export function styleSheet() {
  if (!sheet) {
    sheet = new CSSStyleSheet()
    sheet.replaceSync(style)
  }
  return sheet
}
