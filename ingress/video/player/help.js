import { addPanelStyle } from './panel-style.js'

/** @type {[keys: string[], action: string][]} */
const shortcuts = [
  [['Space', 'K'], 'Play or pause'],
  [['←', '→'], 'Seek 5 seconds'],
  [['J', 'L'], 'Seek 10 seconds'],
  [['↑', '↓'], 'Change the volume'],
  [['M'], 'Mute'],
  [['F'], 'Full screen'],
  [['C'], 'Captions'],
  [['<', '>'], 'Change the speed'],
  [['0', '9'], 'Seek to 0 to 90 percent'],
  [['Home', 'End'], 'Seek to the start or the end'],
  [['?'], 'Show this list'],
]

/** @param {[keys: string[], action: string]} shortcut */
function rowOf([keys, action]) {
  const row = document.createElement('tr')
  const [head, cell] = [document.createElement('th'), document.createElement('td')]
  head.scope = 'row'
  head.append(
    ...keys.flatMap((key, i) => {
      const named = document.createElement('kbd')
      named.textContent = key
      return i === 0 ? [named] : [' ', named]
    }),
  )
  cell.textContent = action
  row.append(head, cell)
  return row
}

/** Creates the list of keyboard shortcuts. */
export function helpOf({ root }) {
  addPanelStyle(root)
  const dialog = document.createElement('dialog')
  dialog.id = 'help'
  dialog.setAttribute('aria-labelledby', 'help-title')
  dialog.innerHTML =
    '<h3 id="help-title">Keyboard shortcuts</h3><table><tbody></tbody></table><form method="dialog"><button>Close</button></form>'
  dialog.querySelector('tbody').append(...shortcuts.map(rowOf))
  root.getElementById('player').append(dialog)
  return {
    open() {
      if (!dialog.open) dialog.showModal()
    },
  }
}
