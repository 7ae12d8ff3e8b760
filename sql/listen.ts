import { Client } from 'pg'
import { log } from '#lib/log.ts'

export interface Listener {
  /** Calls `heard` with each payload of `channel`. Returns a function that unsubscribes. */
  on(channel: string, heard: (payload: string) => void): () => void
  /** Calls `again` after each reconnection. Notifications that were sent during the interruption are lost. */
  onReconnect(again: () => void): () => void
  /** Calls `now` after each connection, including the first. The connection receives notifications from this moment. */
  onConnect(now: () => void): () => void
  /** Resolves when all earlier notifications are received. Rejects if that cannot be determined now. */
  caughtUp(): Promise<void>
  close(): Promise<void>
}

/** Starts listening to `channels`. While Postgres is unavailable, it retries every `retryMs` milliseconds. */
export function listen(databaseUrl: string, channels: string[], retryMs = 500): Listener {
  const heard = new Map<string, Set<(payload: string) => void>>()
  const reconnected = new Set<() => void>()
  const connected = new Set<() => void>()
  let client: Client | undefined
  let timer: NodeJS.Timeout | undefined
  let listening: Client | undefined
  let closed = false
  let connectedBefore = false

  const retry = (failed: Client) => {
    if (closed || client !== failed) return
    client = undefined
    timer = setTimeout(connect, retryMs)
  }

  function connect(): void {
    const next = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 2_000, keepAlive: true })
    client = next
    next.on('error', (error) => {
      log.debug({ err: error.message }, 'listening connection lost')
      retry(next)
    })
    next.on('end', () => retry(next))
    next.on('notification', ({ channel, payload }) => {
      for (const tell of heard.get(channel) ?? []) tell(payload ?? '')
    })
    next
      .connect()
      .then(() => next.query(channels.map((channel) => `listen ${next.escapeIdentifier(channel)}`).join(';')))
      .then(() => {
        listening = next
        if (connectedBefore) for (const tell of reconnected) tell()
        for (const tell of connected) tell()
        connectedBefore = true
      })
      .catch(() => {
        // Without this call, a rejected connection would stay open, for example after LISTEN on a standby.
        next.end().catch(() => {})
        retry(next)
      })
  }

  connect()
  return {
    on(channel, tell) {
      const set = heard.get(channel) ?? new Set()
      heard.set(channel, set.add(tell))
      return () => set.delete(tell)
    },
    onReconnect(tell) {
      reconnected.add(tell)
      return () => reconnected.delete(tell)
    },
    onConnect(tell) {
      connected.add(tell)
      return () => connected.delete(tell)
    },
    async caughtUp() {
      if (!listening || listening !== client) throw new Error('Database notifications are temporarily unavailable.')
      // The server sends earlier notifications before the response to a later statement.
      await listening.query('select')
    },
    async close() {
      closed = true
      clearTimeout(timer)
      await client?.end().catch(() => {})
    },
  }
}
