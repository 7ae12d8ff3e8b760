import { Client } from 'pg'

export interface Probe {
  /** True if a response arrives within `ms` milliseconds. A connection without a response is replaced. */
  answers(ms: number): Promise<boolean>
  stop(): Promise<void>
}

/** Connects immediately, because opening a connection takes long in a busy process. */
export function createProbe(url: string): Probe {
  let client = connect()

  function connect(): { client: Client; ready: Promise<unknown> } {
    const made = new Client({ connectionString: url, connectionTimeoutMillis: 2_000, keepAlive: true })
    made.on('error', () => {})
    const ready = made.connect()
    ready.catch(() => {})
    return { client: made, ready }
  }

  return {
    async answers(ms) {
      const { promise, resolve } = Promise.withResolvers<boolean>()
      // A busy process may not have read a response that has already arrived. So the event loop turns twice more before
      // the timeout counts.
      const timer = setTimeout(() => setImmediate(() => setImmediate(resolve, false)), ms)
      const asked = client
      asked.ready
        .then(() => asked.client.query('select'))
        .then(
          () => resolve(true),
          () => resolve(false),
        )
      const alive = await promise
      clearTimeout(timer)
      if (!alive && asked === client) {
        void asked.client.end().catch(() => {})
        client = connect()
      }
      return alive
    },
    async stop() {
      await Promise.race([
        client.ready.then(() => client.client.end()).catch(() => {}),
        client.client.end().catch(() => {}),
      ])
    },
  }
}
