import type { Socket } from 'node:net'
import { type Address, open, silenceMs } from './connection.ts'
import { Unanswered } from './conversation.ts'
import { lengthOf } from './instream.ts'

/** How long a connection is kept that nobody uses, in milliseconds; clamd itself hangs up after 30 s or what its CommandReadTimeout says. */
const idleMs = 5_000

const end = lengthOf(0)

/** A connection on which clamd takes stream after stream (clamd(8), IDSESSION). */
class Session {
  readonly #client: Socket
  #asked = 0
  #said = ''
  #fault: Error | undefined
  #answer: PromiseWithResolvers<string> | undefined

  constructor(address: Address) {
    this.#client = open(address)
    this.#client
      .setEncoding('utf8')
      .on('data', (text) => this.#hear(String(text)))
      .on('timeout', () => this.close(new Unanswered('clamd took too long')))
      .on('error', (error: Error) => {
        this.#fault ??= new Unanswered(error.message, { cause: error })
      })
      .on('close', () => this.#answer?.reject(this.#fault ?? new Unanswered('clamd hung up without an answer')))
    this.#client.write('zIDSESSION\0')
  }

  get isOpen(): boolean {
    return !this.#client.destroyed
  }

  /** Gives clamd some bytes and returns what it says of them; one question at a time. */
  async ask(bytes: Buffer, signal: AbortSignal): Promise<string> {
    const answer = Promise.withResolvers<string>()
    const stop = () => {
      answer.reject(signal.reason)
      this.close()
    }
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    this.#answer = answer
    this.#asked += 1
    if (!this.isOpen) answer.reject(this.#fault ?? new Unanswered('clamd hung up'))
    this.#client.ref().setTimeout(silenceMs)
    this.#client.cork()
    for (const piece of ['zINSTREAM\0', lengthOf(bytes.length), bytes, end]) this.#client.write(piece)
    this.#client.uncork()
    try {
      return await answer.promise
    } finally {
      this.#answer = undefined
      signal.removeEventListener('abort', stop)
      this.#client.unref().setTimeout(idleMs)
    }
  }

  close(fault?: Error): void {
    this.#fault ??= fault
    this.#client.destroy()
  }

  /** Answers carry the number of their question; what answers none is the connection's end. */
  #hear(text: string): void {
    this.#said += text
    if (!this.#said.endsWith('\0')) return
    const [, number, said] = /^(?:(\d+): )?(.*)\0$/s.exec(this.#said) ?? []
    this.#said = ''
    if (Number(number) !== this.#asked || this.#answer === undefined) this.close(new Unanswered(`clamd said ${said}`))
    else this.#answer.resolve(said ?? '')
  }
}

/** The connections that small contents go over, each of which would else cost more than its scan. */
export class Sessions {
  readonly #address: Address
  #idle: Session[] = []

  constructor(address: Address) {
    this.#address = address
  }

  /** Gives clamd some bytes, as many questions at once as are asked, and returns what it says of them. */
  async ask(bytes: Buffer, signal: AbortSignal): Promise<string> {
    const kept = this.#idle.pop()
    if (kept === undefined) return await this.#askOn(new Session(this.#address), bytes, signal)
    try {
      return await this.#askOn(kept, bytes, signal)
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error
      // clamd hangs up on who is idle, and on all when it restarts; a fresh connection tells what is the matter.
      for (const session of this.#idle.splice(0)) session.close()
      return await this.#askOn(new Session(this.#address), bytes, signal)
    }
  }

  async #askOn(session: Session, bytes: Buffer, signal: AbortSignal): Promise<string> {
    try {
      const answer = await session.ask(bytes, signal)
      // It hangs up after anything else.
      if (!/(?: OK| FOUND)$/.test(answer)) session.close()
      return answer
    } catch (error) {
      session.close()
      throw error
    } finally {
      this.#idle = this.#idle.filter((one) => one.isOpen)
      if (session.isOpen) this.#idle.push(session)
    }
  }
}
