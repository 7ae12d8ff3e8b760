/** Number of messages that are kept in the page. */
const most = 200

/** Minimum delay in milliseconds of a new attempt, and its random part. */
const [retryMs, spreadMs] = [2_000, 4_000]

const ends = ['banned', 'revoked']

/**
 * The chat of a token. `changed` is called after each change, `message` with each new message, and `ended` once with the
 * reason if the token can no longer be used.
 */
export function createFeed({ changed, message, ended }) {
  let url = ''
  /** @type {EventSource | undefined} */
  let source
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let retry
  const feed = {
    /** @type {any[]} */
    messages: [],
    /** @type {any} */
    me: undefined,
    isOpen: false,
    /** @type {string | null} */
    opensAt: null,
    slowSeconds: 0,
    maxLength: 300,
    isConnected: false,
    /** @type {string | undefined} */
    end: undefined,
  }

  function open(given) {
    close()
    url = given
    Object.assign(feed, { messages: [], me: undefined, end: undefined, isConnected: false })
    connect()
    changed(feed)
  }

  function connect() {
    source = new EventSource(`${url}/stream`)
    const on = (name, hear) => source?.addEventListener(name, (event) => hear(JSON.parse(event.data || '{}')))
    on('ready', ready)
    on('message', add)
    on('deleted', remove)
    on('state', setState)
    for (const name of ends) on(name, (data) => finish(name, data))
    source.addEventListener('error', lose)
  }

  function ready({ messages, me, ...state }) {
    Object.assign(feed, { messages, me, isConnected: true })
    setState(state)
  }

  function setState(state) {
    Object.assign(feed, state)
    clearTimeout(timer)
    const wait = feed.opensAt ? Date.parse(feed.opensAt) - Date.now() : 0
    // A timer has at most 2^31 - 1 milliseconds.
    if (!feed.isOpen && wait > 0 && wait < 2 ** 31) timer = setTimeout(() => setState({ isOpen: true }), wait)
    changed(feed)
  }

  function add(one) {
    if (feed.messages.some(({ messageId }) => messageId === one.messageId)) return
    feed.messages = [...feed.messages, one].slice(-most)
    changed(feed)
    message(one)
  }

  function remove({ messageId, personId }) {
    feed.messages = feed.messages.filter((one) => (messageId ? one.messageId !== messageId : one.personId !== personId))
    changed(feed)
  }

  function finish(reason, data) {
    close()
    Object.assign(feed, { end: reason, reason: data?.reason, isConnected: false })
    changed(feed)
    ended(reason)
  }

  function lose() {
    feed.isConnected = false
    changed(feed)
    if (source?.readyState === 2) void examine(source)
  }

  /** A browser does not reconnect after an error response, and does not return its status. */
  async function examine(lost) {
    const answer = await fetch(`${url}/stream`).catch(() => undefined)
    await answer?.body?.cancel()
    if (source !== lost) return
    const { status = 503 } = answer ?? {}
    if (status >= 400 && status < 500 && status !== 429) finish('refused', {})
    else retry = setTimeout(connect, retryMs + Math.random() * spreadMs)
  }

  function close() {
    clearTimeout(timer)
    clearTimeout(retry)
    source?.close()
    source = undefined
  }

  async function ask(method, path, body) {
    const answer = await fetch(`${url}/${path}`, {
      method,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })
    const told = await answer.json().catch(() => ({}))
    if (!answer.ok)
      throw new Error(told.error?.details?.[0]?.issue ?? told.error?.message ?? 'The chat is unavailable.')
    return told
  }

  return {
    open,
    close,
    write: async (text) => add(await ask('POST', 'messages', { text })),
    remove: (id) => ask('DELETE', `messages/${id}`),
    ban: (id) => ask('PUT', `bans/${id}`, {}),
    clip: () => ask('POST', 'clips', {}),
  }
}
