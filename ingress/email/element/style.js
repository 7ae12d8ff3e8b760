const dark = `--preferences-text: #e6eef3; --preferences-quiet: #a3b4c0; --preferences-line: #33444f; --preferences-strong: #6cc5e2;`

const text = `
:host {
  --preferences-text: #1d2b36; --preferences-quiet: #55656f; --preferences-line: #d5dde2; --preferences-strong: #0b6e8f;
  --preferences-radius: .5rem; display: block; font: 1rem/1.4 system-ui, sans-serif; color: var(--preferences-text);
}
:host([hidden]) { display: none !important }
:host([theme=dark]) { ${dark} }
@media (prefers-color-scheme: dark) { :host(:not([theme=light])) { ${dark} } }
fieldset { margin: 0 0 1rem; padding: .5rem 1rem; border: 1px solid var(--preferences-line); border-radius: var(--preferences-radius); min-inline-size: 0 }
legend { padding: 0 .25rem; font-weight: 600; overflow-wrap: anywhere }
label { display: flex; gap: .75rem; padding: .375rem 0; min-block-size: 2rem; align-items: flex-start; cursor: pointer }
input { flex: none; inline-size: 1.25rem; block-size: 1.25rem; margin: .125rem 0 0; accent-color: var(--preferences-strong) }
small { display: block; color: var(--preferences-quiet) }
button {
  font: inherit; color: inherit; background: none; border: 1px solid var(--preferences-line); border-radius: var(--preferences-radius);
  padding: .5rem 1rem; min-block-size: 2.75rem; cursor: pointer;
}
:focus-visible { outline: 3px solid var(--preferences-strong); outline-offset: 2px }
.status { min-block-size: 1.4em; margin: .5rem 0 0; color: var(--preferences-quiet) }
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
