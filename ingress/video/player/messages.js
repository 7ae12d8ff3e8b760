import { commands } from './commands.js'

/** Names of the element's events that are sent to the page. */
const told = [
  'ready',
  'play',
  'pause',
  'time',
  'ended',
  'error',
  'volume',
  'speed',
  'quality',
  'captions',
  'sound',
  'cast',
]

async function answer(player, method, value) {
  if (typeof method !== 'string' || !Object.hasOwn(commands, method))
    throw new TypeError(`method must be one of ${Object.keys(commands).join(', ')}`)
  return await player[method](value)
}

/**
 * Sends events to the embedding page and runs its commands. With an `origin`, the page must have this origin. Without
 * one, only the page that contains the frame is accepted. Other windows are ignored.
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
