const byId = (id) => document.getElementById(id)
let chats = []
let number = ''
let shown = decodeURIComponent(location.hash.slice(1))

const make = (name, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(name), properties)
  element.append(...children.filter(Boolean))
  return element
}

const post = (path, body = {}) =>
  fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

const time = (at) => new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
const current = () => chats.find(({ wa_id }) => wa_id === shown) ?? chats[0]
const unread = ({ messages }) =>
  messages.filter(({ from, status }) => from === 'business' && status === 'delivered').length

async function refresh() {
  const answer = await (await fetch('/chats.json')).json()
  chats = answer.chats
  number = answer.number
  show()
}

function show() {
  const chat = current()
  if (!chat) return
  byId('people').replaceChildren(...chats.map(person))
  byId('number-shown').textContent = `${number}, on the phone of ${chat.name}`
  byId('window').textContent = windowOf(chat)
  const list = byId('chat')
  const wasAtEnd = list.scrollTop + list.clientHeight >= list.scrollHeight - 40 || list.dataset.of !== chat.wa_id
  list.dataset.of = chat.wa_id
  const none = make('li', {
    className: 'empty',
    textContent: 'No messages yet. Send one to open the 24-hour window.',
  })
  list.replaceChildren(...(chat.messages.length > 0 ? chat.messages.map((one) => bubble(chat, one)) : [none]))
  if (wasAtEnd) list.scrollTop = list.scrollHeight
  if (unread(chat) > 0 && document.visibilityState === 'visible') void post(`/chats/${chat.wa_id}/read`)
}

function person(chat) {
  const count = unread(chat)
  const last = chat.messages.at(-1)
  const button = make(
    'button',
    { type: 'button', className: 'person' },
    count > 0 && make('span', { className: 'count', textContent: count, title: 'unread' }),
    chat.name,
    make('small', { textContent: last ? last.text || last.type : `+${chat.wa_id}` }),
  )
  if (chat === current()) button.setAttribute('aria-current', 'true')
  button.addEventListener('click', () => {
    shown = chat.wa_id
    history.replaceState(null, '', `#${shown}`)
    show()
  })
  return make('li', {}, button)
}

function windowOf({ last_inbound_at, open, name }) {
  if (!last_inbound_at) return `${name} has never written. Only templates can be sent`
  if (!open) return 'The 24-hour window is closed. Only templates can be sent'
  const until = new Date(Date.parse(last_inbound_at) + 86_400_000)
  return `You can send any type of message until ${until.toLocaleString([], { weekday: 'long', hour: '2-digit', minute: '2-digit' })}`
}

const words = { sent: 'sent', delivered: 'delivered', read: 'read', failed: 'failed' }

function bubble(chat, one) {
  const quoted = one.quoted && chat.messages.find(({ id }) => id === one.quoted)
  const paragraph = (className, textContent) => textContent && make('p', { className, textContent })
  const stamp = make('p', { className: 'stamp' }, make('time', { dateTime: one.at, textContent: time(one.at) }))
  if (one.from === 'business')
    stamp.append(make('span', { className: 'quiet', textContent: ` · ${words[one.status]}` }))
  return make(
    'li',
    { className: one.from === 'person' ? 'bubble mine' : 'bubble' },
    quoted && paragraph('quote quiet', quoted.text || quoted.type),
    one.template && paragraph('quiet', `template ${one.template}`),
    paragraph('header', one.header),
    one.file && file(one.file),
    paragraph('', one.text),
    paragraph('quiet', one.footer),
    one.reaction && paragraph('', one.reaction),
    stamp,
    one.buttons.length > 0 &&
      make('div', { className: 'taps' }, ...one.buttons.map((button) => tap(chat, one, button))),
  )
}

function file({ kind, name, link }) {
  const label = `${kind}: ${name}`
  const safe = link?.startsWith('https://')
  return safe
    ? make('a', { className: 'file', href: link, target: '_blank', rel: 'noreferrer', textContent: label })
    : make('span', { className: 'file', textContent: label })
}

function tap(chat, one, { text, url, id }) {
  if (url !== undefined) {
    const safe = /^https?:\/\//.test(url)
    return make('a', {
      className: 'tap',
      ...(safe && { href: url }),
      target: '_blank',
      rel: 'noreferrer',
      title: url,
      textContent: text,
    })
  }
  const button = make('button', { type: 'button', className: 'tap', textContent: text })
  button.addEventListener('click', () =>
    post(`/chats/${chat.wa_id}/messages`, { text, tapped: { message_id: one.id, ...(id && { id }) } }),
  )
  return button
}

byId('composer').addEventListener('submit', async (event) => {
  event.preventDefault()
  const field = byId('text')
  const text = field.value.trim()
  if (!text) return
  field.value = ''
  await post(`/chats/${current().wa_id}/messages`, { text })
})

byId('new').addEventListener('submit', async (event) => {
  event.preventDefault()
  const field = byId('number')
  const answer = await post('/chats', { phone: field.value.replace(/[\s()-]/g, '') })
  byId('fault').textContent = answer.ok ? '' : 'must be +, country code and number.'
  if (!answer.ok) return
  field.value = ''
  shown = (await answer.json()).wa_id
  await refresh()
})

document.addEventListener('visibilitychange', show)
const events = new EventSource('/events')
const soon = () => refresh().catch(() => {})
events.addEventListener('message', soon)
events.addEventListener('open', soon)
