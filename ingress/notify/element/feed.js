/** @typedef {{ id: string, seen_at: string | null, archived_at: string | null }} Item */

/** Delays in milliseconds before a lost feed is retried: the first and the maximum delay. */
const [first, most] = [2_000, 60_000]

/**
 * A person’s inbox in a web page with a page token. `items` are newest first, `counts` are the numbers of items.
 * `changed` is called after each change, with the new item if there is one. `expired` is called when the token has
 * expired. It resolves with another URL or undefined.
 */
export function createFeed(changed, expired) {
  let [url, timer, wait, ended] = ['', 0, first, false]
  /** @type {EventSource | undefined} */
  let source
  const feed = {
    /** @type {Item[]} */
    items: [],
    counts: { unread: 0, unseen: 0 },
    archived: false,
    next: null,
    failed: false,
    loaded: false,
  }

  /**
   * @param {string} path
   * @param {Record<string, any>} [given]
   */
  async function ask(path, { body, ...query } = {}) {
    const { origin, searchParams } = new URL(url)
    const answer = await fetch(`${origin}/v1/notify/${path}?${new URLSearchParams(query)}`, {
      method: body ? 'POST' : 'GET',
      headers: {
        authorization: `Bearer ${searchParams.get('token')}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      body: body && JSON.stringify(body),
    })
    if (!answer.ok) throw Object.assign(new Error(`${answer.status}`), { status: answer.status })
    return await answer.json()
  }

  function count({ unread_count: unread, unseen_count: unseen = feed.counts.unseen }) {
    feed.counts = { unread, unseen }
  }

  async function load() {
    clearTimeout(timer)
    try {
      const archived = feed.archived
      const got = await ask('feed', { archived })
      if (ended || archived !== feed.archived) return
      Object.assign(feed, { items: got.data, next: got.next_cursor, failed: false, loaded: true })
      count(got)
      wait = first
      listen(got.last_event_id)
    } catch (error) {
      await lost(error)
    }
    changed()
  }

  async function lost(error) {
    source?.close()
    if (ended) return
    if (error?.status === 401 || !url) {
      const another = await Promise.resolve(expired()).catch(() => undefined)
      if (ended) return
      if (another && another !== url) {
        url = another
        timer = setTimeout(load, 0)
        return
      }
    }
    feed.failed = true
    clearTimeout(timer)
    timer = setTimeout(load, wait)
    wait = Math.min(wait * 2, most)
  }

  function listen(last) {
    source?.close()
    const at = new URL(url)
    at.searchParams.set('last_event_id', last)
    const opened = new EventSource(at)
    source = opened
    const on = (name, take) =>
      opened.addEventListener(name, ({ data }) => {
        const fresh = take(JSON.parse(data))
        changed(fresh)
      })
    on('item', (item) => {
      if (feed.archived || item.archived_at || feed.items.some(({ id }) => id === item.id)) return undefined
      feed.items = [item, ...feed.items].sort((a, b) => (a.id < b.id ? 1 : -1))
      if (!item.seen_at) feed.counts = { ...feed.counts, unseen: feed.counts.unseen + 1 }
      return item
    })
    on('read', ({ ids, read_at }) => void update(ids.map((id) => ({ ...known(id), id, read_at, seen_at: read_at }))))
    on('marked', ({ items }) => void update(items))
    on('unread_count', count)
    on('reset', () => void load())
    opened.onerror = () => {
      // The browser reopens a connection that was lost, but not a connection that was rejected.
      if (opened.readyState === EventSource.CLOSED)
        void ask('feed', { limit: 1 })
          .then(load, lost)
          .then(() => changed())
    }
  }

  const known = (id) => feed.items.find((item) => item.id === id)

  function update(marks) {
    const byId = new Map(marks.map((mark) => [mark.id, mark]))
    const seen = feed.items.filter(({ id, seen_at }) => !seen_at && byId.get(id)?.seen_at).length
    feed.counts = { ...feed.counts, unseen: Math.max(0, feed.counts.unseen - seen) }
    feed.items = feed.items
      .map((item) => ({ ...item, ...byId.get(item.id) }))
      .filter(({ archived_at }) => Boolean(archived_at) === feed.archived)
    // Items that another client moved to or from the archive are not in the loaded list.
    const oldest = feed.next === null ? '' : (feed.items.at(-1)?.id ?? '')
    const here = new Set(feed.items.map(({ id }) => id))
    if (marks.some(({ id, archived_at }) => Boolean(archived_at) === feed.archived && !here.has(id) && id > oldest))
      void load()
  }

  return Object.assign(feed, {
    open(address) {
      clearTimeout(timer)
      ended = false
      url = address
      void load()
    },
    close() {
      ended = true
      clearTimeout(timer)
      source?.close()
    },
    show(archived) {
      Object.assign(feed, { archived, items: [], next: null, loaded: false })
      changed()
      void load()
    },
    retry: () => void load(),
    async older() {
      const got = await ask('feed', { archived: feed.archived, cursor: feed.next })
      const known = new Set(feed.items.map(({ id }) => id))
      feed.items = [...feed.items, ...got.data.filter(({ id }) => !known.has(id))]
      feed.next = got.next_cursor
      changed()
    },
    /** Marks the given items, or all items. The stream reports the result. */
    async mark(mark, ids) {
      count(await ask('feed/marks', { body: { mark, ...(ids && { ids }) } }))
      changed()
    },
  })
}
