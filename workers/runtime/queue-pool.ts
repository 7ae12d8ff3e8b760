import { EventEmitter } from 'node:events'
import type { PoolClient, QueryResult } from 'pg'

type Callback = (error: Error | undefined, client: unknown, done: () => void) => void

/**
 * What the queue library takes for the pg pool of one queue: it borrows connections that other queues' workers borrow too, and
 * hears notifications that one connection hears for all. None is handed out before the worker is registered.
 */
export class QueuePool extends EventEmitter {
  readonly options: { max: number }
  readonly #connect: () => Promise<PoolClient>
  readonly #listening = new EventEmitter()
  #ready: Promise<unknown> = Promise.resolve()

  constructor(max: number, connect: () => Promise<PoolClient>) {
    super()
    this.options = { max }
    this.#connect = connect
    // The library demands that somebody hears these; of the connections themselves their owner does.
    this.on('error', () => {})
    this.on('connect', () => {})
  }

  /** Hands out no connection until `registered` resolves. */
  holdUntil(registered: Promise<unknown>): void {
    this.#ready = registered
  }

  /** Tells the library of a notification, by the name of the channel that it listens on. */
  notify(channel: string, payload: string): void {
    this.#listening.emit('notification', { channel, payload })
  }

  /** Lends a connection. By callback the library asks for the one it listens with, which it keeps: that one is no connection. */
  connect(): Promise<PoolClient>
  connect(callback: Callback): void
  connect(callback?: Callback): Promise<PoolClient> | undefined {
    if (!callback) return this.#ready.then(() => this.#connect())
    const listening = Object.assign(this.#listening, { query: async () => ({ rows: [], rowCount: 0 }) })
    this.#ready.then(
      () => callback(undefined, listening, () => {}),
      (error: Error) => callback(error, undefined, () => {}),
    )
    return undefined
  }

  async query(text: string, values?: unknown[]): Promise<QueryResult> {
    const client = await this.connect()
    try {
      return await client.query(text, values)
    } finally {
      client.release()
    }
  }
}
