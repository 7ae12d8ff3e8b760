const text = `
:host {
  --guard-background: #fff; --guard-text: #1d2b36; --guard-line: #8496a3; --guard-strong: #0b6e8f;
  --guard-good: #1a7a3c; --guard-bad: #b3261e; --guard-radius: .5rem;
  display: inline-block; inline-size: 20rem; max-inline-size: 100%; vertical-align: middle; font: 1rem/1.4 system-ui, sans-serif;
}
:host([hidden]) { display: none }
:host([theme=dark]) {
  --guard-background: #17232c; --guard-text: #e6eef3; --guard-line: #6d8391; --guard-strong: #6cc5e2;
  --guard-good: #7bd99a; --guard-bad: #ff9a92;
}
@media (prefers-color-scheme: dark) {
  :host([theme=auto]) {
    --guard-background: #17232c; --guard-text: #e6eef3; --guard-line: #6d8391; --guard-strong: #6cc5e2;
    --guard-good: #7bd99a; --guard-bad: #ff9a92;
  }
}
button {
  box-sizing: border-box; display: flex; align-items: center; gap: .75rem; inline-size: 100%; min-block-size: 3.5rem;
  margin: 0; padding: .5rem 1rem; position: relative; overflow: hidden; text-align: start; font: inherit; cursor: pointer;
  color: var(--guard-text); background: var(--guard-background); border: 1px solid var(--guard-line);
  border-radius: var(--guard-radius);
}
button:hover { border-color: var(--guard-strong) }
button:focus-visible { outline: 3px solid var(--guard-strong); outline-offset: 2px }
button[aria-disabled=true] { cursor: default }
button:disabled { opacity: .55; cursor: not-allowed }
svg { flex: none; inline-size: 1.5rem; block-size: 1.5rem; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round }
svg path { display: none }
svg .frame { display: inline }
[data-state=working] svg { color: var(--guard-strong) }
[data-state=working] .arc, [data-state=done] .tick, [data-state=failed] .cross, [data-state=denied] .cross, [data-state=expired] .clock { display: inline }
[data-state=working] .arc { transform-origin: center; animation: turn 1s linear infinite }
[data-state=working] .frame { opacity: .3 }
[data-state=done] svg { color: var(--guard-good) }
[data-state=failed] svg, [data-state=denied] svg { color: var(--guard-bad) }
progress {
  appearance: none; position: absolute; inset-inline: 0; inset-block-end: 0; inline-size: 100%; block-size: 4px; border: 0;
  background: none;
}
progress::-webkit-progress-bar { background: none }
progress::-webkit-progress-value { background: var(--guard-strong); transition: inline-size .2s }
progress::-moz-progress-bar { background: var(--guard-strong) }
.unseen { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
@keyframes turn { to { transform: rotate(1turn) } }
@media (prefers-reduced-motion: reduce) {
  [data-state=working] .arc { animation: none }
  progress::-webkit-progress-value { transition: none }
}
@media (forced-colors: active) { button { border-color: ButtonText } }
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
