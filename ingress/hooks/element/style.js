const dark = `--webhooks-background: #151d23; --webhooks-text: #e3eaef; --webhooks-quiet: #9badba; --webhooks-line: #33424d; --webhooks-edge: #6d8391;
--webhooks-strong: #6cc5e2; --webhooks-on-strong: #06202b; --webhooks-good: #74d394; --webhooks-bad: #ff8f83; --webhooks-code: #0e1418;`

const text = `
:host {
  --webhooks-background: #fff; --webhooks-text: #15212b; --webhooks-quiet: #556471; --webhooks-line: #d5dde2; --webhooks-edge: #8496a3;
  --webhooks-strong: #0a6282; --webhooks-on-strong: #fff; --webhooks-good: #1b7340; --webhooks-bad: #b42318; --webhooks-code: #f5f7f9;
  --webhooks-radius: .5rem; display: block; padding: 1rem; font: 1rem/1.45 system-ui, sans-serif; color-scheme: light;
  color: var(--webhooks-text); background: var(--webhooks-background); border-radius: var(--webhooks-radius); text-align: start;
}
:host([hidden]) { display: none !important }
:host([theme=dark]) { ${dark} color-scheme: dark }
@media (prefers-color-scheme: dark) { :host(:not([theme=light])) { ${dark} color-scheme: dark } }
* { box-sizing: border-box }
h2 { margin: 0 0 .75rem; font-size: 1.25rem; line-height: 1.3; overflow-wrap: anywhere }
h2:focus { outline: none }
h3 { margin: 1.5rem 0 .5rem; font-size: 1rem }
p { margin: .5rem 0 }
nav, .actions, .title { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center }
nav { margin: 0 0 1rem; padding: 0 0 .75rem; border-block-end: 1px solid var(--webhooks-line) }
.title { justify-content: space-between; margin: 0 0 .75rem } .title h2 { margin: 0 }
.actions { margin: .75rem 0 }
button, .link {
  font: inherit; color: inherit; background: none; border: 1px solid var(--webhooks-edge); border-radius: var(--webhooks-radius);
  padding: .375rem .875rem; min-block-size: 2.5rem; cursor: pointer;
}
button.primary { background: var(--webhooks-strong); border-color: var(--webhooks-strong); color: var(--webhooks-on-strong); font-weight: 600 }
button.grave { color: var(--webhooks-bad) }
button.text { border: 0; padding: 0; min-block-size: 1.5rem; color: var(--webhooks-strong); text-decoration: underline; text-align: start; overflow-wrap: anywhere }
nav button[aria-current] { border-color: var(--webhooks-strong); box-shadow: inset 0 -2px var(--webhooks-strong); font-weight: 600 }
button[aria-disabled=true] { opacity: .6; cursor: default }
:focus-visible { outline: 3px solid var(--webhooks-strong); outline-offset: 2px }
table { inline-size: 100%; border-collapse: collapse; margin: .5rem 0 }
th, td { padding: .5rem .5rem; border-block-end: 1px solid var(--webhooks-line); text-align: start; vertical-align: top; font-weight: 400; overflow-wrap: anywhere }
thead th { color: var(--webhooks-quiet); font-size: .875rem }
dl { margin: .5rem 0 } dl div { display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding: .375rem 0; border-block-end: 1px solid var(--webhooks-line) }
dt { flex: 0 0 9rem; color: var(--webhooks-quiet) } dd { flex: 1 1 12rem; margin: 0; overflow-wrap: anywhere }
pre { margin: .5rem 0; padding: .75rem; max-block-size: 20rem; overflow: auto; background: var(--webhooks-code); border: 1px solid var(--webhooks-line); border-radius: var(--webhooks-radius); font: .875rem/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere }
code { font: .9375em ui-monospace, monospace; overflow-wrap: anywhere }
.field { margin: 0 0 1rem; min-inline-size: 0 } .field > label, legend { display: block; font-weight: 600; margin: 0 0 .25rem; padding: 0 }
input:not([type=checkbox]), textarea, select { inline-size: 100%; min-block-size: 2.5rem; padding: .375rem .625rem; font: inherit; color: inherit; background: var(--webhooks-background); border: 1px solid var(--webhooks-edge); border-radius: var(--webhooks-radius) }
[aria-invalid=true] { border-color: var(--webhooks-bad) !important }
input[type=checkbox] { flex: none; inline-size: 1.25rem; block-size: 1.25rem; margin: .125rem 0 0; accent-color: var(--webhooks-strong) }
fieldset { margin: 0 0 1rem; padding: .75rem 1rem; border: 1px solid var(--webhooks-line); border-radius: var(--webhooks-radius); min-inline-size: 0 }
legend { padding: 0 .25rem }
.choice { display: flex; gap: .75rem; padding: .375rem 0; align-items: flex-start; cursor: pointer; overflow-wrap: anywhere }
.row { display: grid; grid-template-columns: 1fr 1fr auto; gap: .5rem; align-items: end; margin: 0 0 .5rem } .row.three { grid-template-columns: 2fr 1fr 2fr auto }
.row .field { margin: 0 }
small { display: block; color: var(--webhooks-quiet); font-size: .875rem } .quiet { color: var(--webhooks-quiet) }
.fault { display: block; color: var(--webhooks-bad) } .fault:empty { display: none }
.badge { display: inline-block; padding: 0 .5rem; border: 1px solid currentColor; border-radius: 1rem; font-size: .8125rem; white-space: nowrap; color: var(--webhooks-quiet) }
.badge.good { color: var(--webhooks-good) } .badge.bad { color: var(--webhooks-bad) }
.chart { display: block; block-size: 2.5rem; max-inline-size: 100% } .chart .good { fill: var(--webhooks-good) } .chart .bad { fill: var(--webhooks-bad) }
.notice { padding: .75rem 1rem; border: 1px solid var(--webhooks-strong); border-radius: var(--webhooks-radius); margin: .75rem 0 }
.status { min-block-size: 1.45em; margin: .75rem 0 0; color: var(--webhooks-quiet) }
details { margin: .25rem 0 } summary { cursor: pointer; padding: .25rem 0 }
section + section { margin-block-start: 1.5rem; padding-block-start: .5rem; border-block-start: 2px solid var(--webhooks-line) }
.unseen { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
:host { container-type: inline-size }
@container (max-width: 34rem) {
  thead { position: absolute; clip-path: inset(50%) } table, tbody, tr, th[scope=row], td { display: block; inline-size: 100% }
  tr { padding: .5rem 0; border-block-end: 1px solid var(--webhooks-line) } th[scope=row], td { border: 0; padding: .125rem 0 }
  td::before { content: attr(data-label) ": "; color: var(--webhooks-quiet) }
  .row, .row.three { grid-template-columns: 1fr; padding: 0 0 .75rem; border-block-end: 1px solid var(--webhooks-line) }
}
`

let sheet
/** Returns a constructed style sheet, which also works if the page’s policy forbids inline styles. */
export function style() {
  if (!sheet) {
    sheet = new CSSStyleSheet()
    sheet.replaceSync(text)
  }
  return sheet
}
