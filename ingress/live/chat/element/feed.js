/** Number of messages that are kept in the page. */
const most = 200

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
    source = new EventSource(`${url}/stream`)
    const on = (name, hear) => source?.addEventListener(name, (event) => hear(JSON.parse(event.data || '{}')))
    on('ready', ready)
    on('message', add)
    on('deleted', remove)
    on('state', setState)
    for (const name of ends) on(name, (data) => finish(name, data))
    source.addEventListener('error', lose)
    changed(feed)
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

  /** A browser does not reconnect after an error response, for example if the token has expired. */
  function lose() {
    feed.isConnected = false
    if (source?.readyState === 2) finish('refused', {})
    else changed(feed)
  }

  function close() {
    clearTimeout(timer)
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
