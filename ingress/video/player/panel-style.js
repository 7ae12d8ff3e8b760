import { panels } from './panels.js'

const styled = new WeakSet()

/** Adds the style of the parts that are loaded later, once per player. */
export function addPanelStyle(root) {
  if (styled.has(root)) return
  styled.add(root)
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(panels)
  root.adoptedStyleSheets.unshift(sheet)
}

/** Returns a button of a panel. */
export function buttonOf(text, act) {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = text
  button.addEventListener('click', act)
  return button
}
