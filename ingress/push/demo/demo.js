import { report } from './receipts.js'
import { offerWebPush } from './web-push.js'

const given = new URLSearchParams(location.hash.slice(1))
const [token, key, vapid, app, user] = ['token', 'key', 'vapid', 'app', 'user'].map((name) => given.get(name))

const element = (id) => document.getElementById(id)
const tell = (id, words) => {
  element(id).textContent = words
}

const shown = new Map()

function show(message) {
  if (shown.has(message.delivery_id)) return
  const item = element('message').content.cloneNode(true).firstElementChild
  shown.set(message.delivery_id, item)
  item.querySelector('h3').textContent = message.title ?? '(data only)'
  item.querySelector('.body').textContent = message.body ?? ''
  const pairs = Object.entries(message.data ?? {})
  const list = item.querySelector('.data')
  list.hidden = pairs.length === 0
  for (const [name, value] of pairs) {
    const [term, words] = [document.createElement('dt'), document.createElement('dd')]
    term.textContent = name
    words.textContent = value
    list.append(term, words)
  }
  item.querySelector('button').addEventListener('click', () => send(message, 'opened', item))
  element('messages').prepend(item)
  element('none').hidden = true
  void reportSeen(message, item)
}

/** Reports that the message was delivered, and later that it was displayed, when the page becomes visible. */
async function reportSeen(message, item) {
  if (document.visibilityState === 'visible') return await send(message, 'displayed', item)
  await send(message, 'delivered', item)
  document.addEventListener('visibilitychange', () => send(message, 'displayed', item), { once: true })
}

async function send(message, event, item) {
  const receipt = item.querySelector('.receipt')
  try {
    const answer = await report(message, event, key)
    const state = answer.opened_at ? 'opened' : answer.displayed_at ? 'displayed' : 'delivered'
    receipt.dataset.receipt = state
    receipt.textContent = `Reported as ${state}`
    item.querySelector('button').disabled = state === 'opened'
  } catch (error) {
    receipt.dataset.receipt = 'refused'
    receipt.textContent = error.message
  }
}

function listen() {
  const stream = new EventSource(`/push/v1/stream?${new URLSearchParams({ token: token ?? '' })}`)
  stream.addEventListener('open', () => tell('stream', `Listening${user ? ` for ${user}` : ''}.`))
  stream.addEventListener('message', ({ data }) => show(JSON.parse(data)))
  stream.addEventListener('reset', () => tell('stream', 'Connected. Some missed messages are no longer stored.'))
  stream.addEventListener('error', () => {
    const over = stream.readyState === EventSource.CLOSED
    tell('stream', over ? 'The stream has ended. Register the installation again.' : 'Disconnected. Reconnecting.')
  })
}

if (token && key) {
  listen()
  offerWebPush({ vapid, app, user, key, show, tell, element })
} else {
  tell('stream', 'Open this page with the URL that npm start prints.')
}
// Reloads the page for a new link in the same tab, because such a link changes only the fragment.
addEventListener('hashchange', () => location.reload())
