import { talk } from './messages.js'
import { optionNames } from './options.js'

/** @type {HTMLElement & Partial<import('./element.js').MillPlayer>} */
const player = document.querySelector('mill-player')
const query = new URLSearchParams(location.search)
const no = ['0', 'false', 'no']

// Only display options are read from the URL. So a URL cannot add foreign images, or texts that seem to be the owner's.
for (const name of optionNames.filter((one) => one !== 'poster' && one !== 'chapters')) {
  const value = query.get(name)
  if (value === null) continue
  if (no.includes(value) && name !== 'controls') player.removeAttribute(name)
  else if (name !== 'title') player.setAttribute(name, value)
}

const origin = query.get('origin')
if (origin === null || (URL.canParse(origin) && new URL(origin).origin === origin)) talk(player, origin)
else
  console.warn(
    'mill-player: origin must be an origin such as https://www.example.com. No messages are sent or accepted.',
  )

document.addEventListener('keydown', (event) => {
  if (event.target === document.body) player.press?.(event)
})
await import('./mill-player.js')
