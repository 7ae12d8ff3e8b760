// The embed's words with the page around it.
import { commands } from './commands.js'

/** What is told of the player as it happens; the element says it by events of these names. */
const told = ['ready', 'play', 'pause', 'time', 'ended', 'error', 'volume', 'speed', 'quality', 'captions', 'sound']

async function answer(player, method, value) {
  if (typeof method !== 'string' || !Object.hasOwn(commands, method))
    throw new TypeError(`method must be one of ${Object.keys(commands).join(', ')}`)
  return await player[method](value)
}

/**
 * Tells the page around what happens and does what it asks. With an `origin`, only a page of that origin is told and heard;
 * without one, whichever page has the frame. No other window is heard.
 */
export function talk(player, origin) {
  if (parent === window) return
  const send = (message) => parent.postMessage({ source: 'mill-player', ...message }, origin ?? '*')
  for (const type of told) player.addEventListener(type, ({ detail }) => send({ ...detail, type }))
  addEventListener('message', async ({ source, origin: from, data }) => {
    if (source !== parent || (origin !== null && from !== origin) || data?.to !== 'mill-player') return
    const { id, method, value } = data
    const reply = { type: 'answer', ...(['string', 'number'].includes(typeof id) && { id }) }
    try {
      const result = await answer(player, method, value)
      send({ ...reply, ok: true, ...(result !== undefined && { value: result }) })
    } catch ({ name, message }) {
      send({ ...reply, ok: false, error: message, name })
    }
  })
}
