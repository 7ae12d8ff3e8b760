// Updates the regions of a page (`data-live`) through one event stream per page.
import { morph } from './morph.js'

const status = document.getElementById('stream')
const words = {
  live: 'Live',
  waiting: 'Reconnecting',
  away: 'Database unavailable',
}
const retryMs = 3_000
const silentMs = 10_000

let source
let timer
let heardAt = 0

const regions = () => [...document.querySelectorAll('[data-live]')]

function show(state) {
  if (status.dataset.state === state) return
  status.dataset.state = state
  status.textContent = words[state]
  status.hidden = false
}

function take({ name, html }) {
  const region = regions().find((one) => one.dataset.live === name)
  if (!region) return
  const fresh = document.createElement('template')
  fresh.innerHTML = html
  morph(region, fresh.content)
  region.dispatchEvent(new CustomEvent('fresh', { bubbles: true }))
}

function heard(state) {
  heardAt = performance.now()
  show(state)
}

function connect() {
  clearTimeout(timer)
  const query = new URLSearchParams(regions().map((region) => ['watch', region.dataset.live ?? '']))
  const address = `${document.documentElement.dataset.base}/regions?${query}`
  source = new EventSource(address)
  source.addEventListener('html', ({ data }) => {
    heard('live')
    take(JSON.parse(data))
  })
  source.addEventListener('beat', () => heard('live'))
  source.addEventListener('away', () => heard('away'))
  source.addEventListener('over', () => location.reload())
  source.addEventListener('error', () => {
    show('waiting')
    // The browser reconnects after a lost connection. It does not reconnect if the response is not an event stream.
    if (source.readyState === EventSource.CLOSED) timer = setTimeout(() => void comeBack(address), retryMs)
  })
}

async function comeBack(address) {
  const ending = new AbortController()
  try {
    const { status: code } = await fetch(address, { signal: ending.signal })
    if (code === 401) return location.reload()
  } catch {
  } finally {
    ending.abort()
  }
  connect()
}

function disconnect() {
  clearTimeout(timer)
  source?.close()
}

export function watch() {
  if (regions().length === 0) return
  if (!document.hidden) connect()
  // A hidden page disconnects, because browsers allow only a few connections per host.
  document.addEventListener('visibilitychange', () => (document.hidden ? disconnect() : connect()))
  addEventListener('pagehide', disconnect)
  addEventListener('pageshow', (event) => event.persisted && connect())
  setInterval(() => {
    if (heardAt && !document.hidden && performance.now() - heardAt > silentMs) show('waiting')
  }, 1_000)
}
