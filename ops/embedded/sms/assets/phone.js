const byId = (id) => document.getElementById(id)
let threads = []
let shown = decodeURIComponent(location.hash.slice(1))

const make = (name, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(name), properties)
  element.append(...children.filter(Boolean))
  return element
}

const current = () => threads.find(({ phone }) => phone === shown) ?? threads[0]
const time = (at) => new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })

async function refresh() {
  threads = (await (await fetch('/threads.json')).json()).threads
  show()
}

function show() {
  const thread = current()
  byId('composer').hidden = byId('keywords').hidden = !thread
  if (!thread) return
  byId('people').replaceChildren(...threads.map(person))
  byId('number-shown').textContent = `${thread.sender}, on the phone of ${thread.phone}`
  byId('window').textContent = 'STOP ends the messages, START continues them, HELP asks for information.'
  const list = byId('chat')
  list.replaceChildren(...thread.messages.map(bubble))
  list.scrollTop = list.scrollHeight
}

function person(thread) {
  const last = thread.messages.at(-1)
  const button = make(
    'button',
    { type: 'button', className: 'person' },
    thread.phone,
    make('small', { textContent: last?.text ?? '' }),
  )
  if (thread === current()) button.setAttribute('aria-current', 'true')
  button.addEventListener('click', () => {
    shown = thread.phone
    history.replaceState(null, '', `#${shown}`)
    show()
  })
  return make('li', {}, button)
}

function bubble({ from, text, at, status, sender }) {
  const words = from === 'business' ? `${sender} · ${status}` : ''
  return make(
    'li',
    { className: from === 'person' ? 'bubble mine' : 'bubble' },
    make('p', { textContent: text }),
    make(
      'p',
      { className: 'stamp' },
      make('span', { className: 'quiet', textContent: words }),
      ' ',
      make('time', { dateTime: at, textContent: time(at) }),
    ),
  )
}

const write = (text) =>
  fetch('/messages', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ phone: current().phone, text }),
  })

for (const word of ['STOP', 'START', 'HELP']) {
  const button = make('button', { type: 'button', className: 'tap', textContent: word })
  button.addEventListener('click', () => write(word))
  byId('keywords').append(button)
}

byId('composer').addEventListener('submit', async (event) => {
  event.preventDefault()
  const field = byId('text')
  const text = field.value.trim()
  if (!text) return
  field.value = ''
  await write(text)
})

const events = new EventSource('/events')
const soon = () => refresh().catch(() => {})
events.addEventListener('message', soon)
events.addEventListener('open', soon)
