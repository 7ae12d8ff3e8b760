import type { Socket } from 'node:net'
import { ScannerUnavailableError } from '#tasks/files/engine.ts'
import { silenceMs } from './connection.ts'

export class NoResponseError extends Error {
  override name = 'NoResponseError'
}

/**
 * Time in milliseconds that an unused connection stays open. clamd itself closes it after 30 s or its
 * CommandReadTimeout.
 */
const usualIdleMs = 5_000

/** A connection to clamd for one request, or for several requests in a session (clamd(8), IDSESSION). */
export class ClamdConnection {
  readonly #client: Socket
  readonly #isSession: boolean
  #asked = 0
  #said = ''
  #fault: Error | undefined
  readonly #idleMs: number
  #answer: PromiseWithResolvers<string> | undefined

  constructor(client: Socket, isSession: boolean, idleMs = usualIdleMs) {
    this.#isSession = isSession
    this.#idleMs = idleMs
    this.#client = client
      .setEncoding('utf8')
      .on('data', (text) => this.#hear(String(text)))
      .on('timeout', () =>
        this.close(this.#answer ? new ScannerUnavailableError('clamd did not respond in time') : undefined),
      )
      .on('error', (error: Error) => {
        this.#fault ??= new NoResponseError(error.message, { cause: error })
      })
      .on('close', () => this.#end())
    if (isSession) this.#client.write('zIDSESSION\0')
  }

  get isOpen(): boolean {
    return !this.#client.destroyed
  }

  /**
   * Sends a request with `say` and returns the response, which can arrive before all data is sent. Only one request can
   * be in progress.
   */
  async ask(say: (client: Socket) => unknown, signal: AbortSignal): Promise<string> {
    const answer = Promise.withResolvers<string>()
    const stop = () => {
      answer.reject(signal.reason)
      this.close()
    }
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    this.#answer = answer
    this.#asked += 1
    if (!this.isOpen) answer.reject(this.#fault ?? new NoResponseError('clamd closed the connection early'))
    this.#client.ref().setTimeout(silenceMs)
    try {
      const said = Promise.resolve(say(this.#client)).then(() => answer.promise)
      // The first result counts. An error of the other promise is ignored.
      for (const end of [answer.promise, said]) end.catch(() => {})
      return await Promise.race([answer.promise, said])
    } finally {
      this.#answer = undefined
      signal.removeEventListener('abort', stop)
      this.#client.unref().setTimeout(this.#idleMs)
    }
  }

  close(fault?: Error): void {
    this.#fault ??= fault
    this.#client.destroy()
  }

  /** Responses of a session contain the number of their request. A response without a number ends the connection. */
  #hear(text: string): void {
    this.#said += text
    if (!this.#isSession || !this.#said.endsWith('\0')) return
    const [, number, said] = /^(?:(\d+): )?(.*)\0$/s.exec(this.#said) ?? []
    this.#said = ''
    if (Number(number) !== this.#asked || this.#answer === undefined)
      this.close(new NoResponseError(`clamd returned ${said}`))
    else this.#answer.resolve(said ?? '')
  }

  /** A complete response counts, even if clamd closed the connection before all data was sent. */
  #end(): void {
    if (this.#said.endsWith('\0')) this.#answer?.resolve(this.#said.slice(0, -1))
    else this.#answer?.reject(this.#fault ?? new NoResponseError('clamd closed the connection without a response'))
  }
}
