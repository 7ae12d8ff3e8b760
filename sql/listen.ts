import { Client } from 'pg'
import { log } from '#lib/log.ts'

/** Listens to Postgres notifications for a whole process, on one connection that reconnects by itself. */
export interface Listener {
  /** Calls `heard` with each payload of `channel`; returns a function that unsubscribes. */
  on(channel: string, heard: (payload: string) => void): () => void
  /** Calls `again` after each reconnection: notifications sent meanwhile are lost. */
  onReconnect(again: () => void): () => void
  /** Calls `now` after each connection, the first one, too: from then on notifications are heard. */
  onConnect(now: () => void): () => void
  /** Resolves when all that was sent before is heard; rejects where that cannot be told now. */
  caughtUp(): Promise<void>
  close(): Promise<void>
}

/** Starts listening to `channels`; while Postgres is away it tries again every `retryMs` milliseconds. */
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
        // One that is connected and was refused, as a standby refuses LISTEN, would stay.
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
      if (!listening || listening !== client) throw new Error('Nothing is heard now.')
      // A server tells what was sent before a statement no later than with its answer.
      await listening.query('select')
    },
    async close() {
      closed = true
      clearTimeout(timer)
      await client?.end().catch(() => {})
    },
  }
}
