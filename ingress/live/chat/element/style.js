export const style = new CSSStyleSheet()

const dark = `--chat-background: #17232c; --chat-text: #e6eef3; --chat-quiet: #a3b4c0; --chat-line: #33444f; --chat-strong: #6cc5e2; --chat-on: #06222d;`

style.replaceSync(`
:host {
  --chat-background: #fff; --chat-text: #1d2b36; --chat-quiet: #55656f; --chat-line: #d5dde2; --chat-strong: #0b6e8f; --chat-on: #fff;
  display: flex; flex-direction: column; min-block-size: 12rem; block-size: 24rem; box-sizing: border-box; padding: .5rem;
  background: var(--chat-background); color: var(--chat-text); border: 1px solid var(--chat-line); font: 1rem/1.4 system-ui, sans-serif;
}
:host([theme=dark]) { ${dark} }
@media (prefers-color-scheme: dark) { :host(:not([theme=light])) { ${dark} } }
[hidden] { display: none !important }
[role=log] { flex: 1; overflow-y: auto; overflow-wrap: anywhere }
ol { list-style: none; margin: 0; padding: 0 }
li { padding: .125rem 0 }
li button { opacity: 0; font-size: .75rem; min-block-size: 1.5rem; padding: 0 .25rem }
li:hover button, li:focus-within button { opacity: 1 }
b.moderator, b.host { color: var(--chat-strong) }
p { margin: .25rem 0; color: var(--chat-quiet); min-block-size: 1.4em }
form { display: flex; gap: .5rem }
input { flex: 1; min-inline-size: 0; font: inherit; color: inherit; background: transparent; border: 1px solid var(--chat-quiet); border-radius: .25rem; padding: .375rem .5rem }
button { font: inherit; color: var(--chat-strong); background: none; border: 1px solid var(--chat-line); border-radius: .25rem; padding: .25rem .75rem; cursor: pointer }
form button { color: var(--chat-on); background: var(--chat-strong) }
button:disabled, input:disabled { opacity: .6; cursor: default }
.clip { margin-block-start: .5rem }
:focus-visible { outline: 3px solid var(--chat-strong); outline-offset: 1px }
@media (hover: none) { li button { opacity: 1 } }
`)
