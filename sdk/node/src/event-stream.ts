import { ConnectionError, MillraceError, ServerError } from './errors.ts'
import { pause } from './retries.ts'
import { type ServerEvent, serverEvents } from './server-events.ts'

/** Opens the stream, starting after the event `lastEventId`. */
type Open = (lastEventId: string | undefined, signal: AbortSignal) => Promise<Response>

interface Settings {
  /** True if the stream is reopened when it breaks or ends. */
  comesBack: boolean
  signal?: AbortSignal | undefined
}

/** Limits of the reconnection time that the server sends, in milliseconds. */
const [shortestRetryMs, longestRetryMs] = [100, 60_000]

/** Timeout in milliseconds after which a connection without data is closed. The server sends data every 15 seconds. */
const silenceMs = 45_000

/**
 * A stream of events: `for await (const { event, data } of stream)`. If `comesBack` is true, the stream reconnects
 * after a lost connection and continues after the last event. It ends when you leave the loop, close or abort it, or
 * when the API rejects it.
 */
export class EventStream implements AsyncIterable<ServerEvent> {
  readonly #open: Open
  readonly #settings: Settings
  readonly #closed = new AbortController()
  /** ID of the last received event. Pass it as `last_event_id` to continue later. */
  lastEventId: string | undefined
  #retryMs = 3_000

  constructor(open: Open, settings: Settings) {
    this.#open = open
    this.#settings = settings
  }

  /** Ends the stream and all loops over it. */
  close(): void {
    this.#closed.abort()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ServerEvent, void, undefined> {
    const { comesBack, signal } = this.#settings
    const over = signal ? AbortSignal.any([signal, this.#closed.signal]) : this.#closed.signal
    try {
      for (let opened = false; ; opened = true) {
        const body = await this.#body(opened, over)
        if (!body) return
        yield* this.#sent(body)
        if (!comesBack) return
        await pause(Math.random() * this.#retryMs, over)
      }
    } catch (failure) {
      signal?.throwIfAborted()
      if (!this.#closed.signal.aborted) throw failure
    } finally {
      this.#closed.abort()
    }
  }

  /** Returns the events of one connection until it ends or breaks. */
  async *#sent(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent, void, undefined> {
    try {
      for await (const { retry, ...event } of serverEvents(body, silenceMs)) {
        if (retry !== undefined) this.#retryMs = Math.min(Math.max(retry, shortestRetryMs), longestRetryMs)
        if (event.id !== undefined) this.lastEventId = event.id
        if (event.event !== '') yield event
      }
    } catch (failure) {
      if (failure instanceof MillraceError) throw failure
      if (!this.#settings.comesBack) throw new ConnectionError('The stream was interrupted.', { cause: failure })
    }
  }

  /**
   * Returns the open stream, or `undefined` if the API rejects it. After the first connection, retries until the API is
   * available.
   */
  async #body(opened: boolean, over: AbortSignal): Promise<ReadableStream<Uint8Array> | undefined> {
    for (let failed = 1; ; failed++) {
      try {
        const response = await this.#open(this.lastEventId, over)
        return response.status === 204 ? undefined : (response.body ?? undefined)
      } catch (failure) {
        const passes = failure instanceof ConnectionError || failure instanceof ServerError
        if (!opened || !passes) throw failure
        await pause(Math.min(this.#retryMs * 2 ** failed, 30_000) * (0.5 + Math.random() / 2), over)
      }
    }
  }
}
