// Shows the next scheduled broadcast while nothing is played, and the chat if the URL has `#chat=TOKEN`.
const player = document.getElementById('player')
const panel = document.getElementById('upcoming')
const [title, time, countdown, description] = ['title', 'time', 'countdown', 'description'].map((name) =>
  panel.querySelector(`.${name}`),
)
const [poster, calendar] = [panel.querySelector('img'), panel.querySelector('a')]
const token = /\/watch\/([^/]+)$/.exec(location.pathname)?.[1]

// Interval in milliseconds between requests for scheduled broadcasts.
const loadMs = 60_000

let next

async function load() {
  const answer = await fetch(new URL(`../upcoming/${token}`, location.href)).catch(() => undefined)
  if (!answer?.ok) return
  next = (await answer.json()).data[0]
  if (!next) return show()
  title.textContent = next.title
  description.textContent = next.description
  time.textContent = new Date(next.startsAt).toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'short' })
  time.setAttribute('datetime', next.startsAt)
  calendar.href = next.calendarUrl
  poster.hidden = !next.posterUrl
  if (next.posterUrl) poster.src = next.posterUrl
  show()
}

function show() {
  panel.hidden = !next || !player.classList.contains('troubled')
  if (panel.hidden) return
  const seconds = Math.round((Date.parse(next.startsAt) - Date.now()) / 1000)
  countdown.textContent = seconds > 0 ? `Starts in ${formatDuration(seconds)}` : 'Starts soon'
}

function formatDuration(seconds) {
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3_600) % 24,
    Math.floor(seconds / 60) % 60,
  ]
  const two = (value) => String(value).padStart(2, '0')
  const rest = `${two(hours)}:${two(minutes)}:${two(seconds % 60)}`
  return days > 0 ? `${days} ${days === 1 ? 'day' : 'days'} ${rest}` : rest
}

async function openChat() {
  const given = new URLSearchParams(location.hash.slice(1)).get('chat')
  document.body.classList.toggle('with-chat', Boolean(given))
  document.querySelector('mill-chat')?.remove()
  if (!given) return
  await import(new URL('../mill-chat.js', location.href).href)
  const chat = document.createElement('mill-chat')
  chat.setAttribute('theme', 'dark')
  chat.setAttribute('src', new URL(`../chat/${encodeURIComponent(given)}`, location.href).href)
  document.body.append(chat)
}

setInterval(show, 1_000)
setInterval(load, loadMs)
addEventListener('hashchange', openChat)
void load()
void openChat()
