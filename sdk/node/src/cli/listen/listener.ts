import { colourOfStatus, timeOf } from '../status-colour.ts'
import { clean, escaped, type Terminal } from '../terminal.ts'
import { type LocalEvent, LocalServer, type Outcome } from './local-server.ts'
import type { Position } from './positions.ts'
import { Slots } from './slots.ts'

/** An event of the stream. */
export interface Received extends LocalEvent {
  timestamp: string
}

interface ListenerOptions {
  terminal: Terminal
  target: string | undefined
  secret: string
  concurrency: number
  position: Position
  signal: AbortSignal
  printJson: boolean
}

/** Time in milliseconds for running requests to end after Ctrl-C. */
const graceMs = 3_000

/** Forwards received events, prints them, and stores the position. */
export class Listener {
  readonly #options: ListenerOptions
  readonly #slots: Slots
  readonly #server: LocalServer | undefined
  readonly #failed = new AbortController()
  /** Aborted by an interruption, or if the position cannot be stored. */
  readonly signal: AbortSignal
  #error: unknown
  #count = 0

  constructor(options: ListenerOptions) {
    const { terminal, target, secret, concurrency, signal } = options
    this.#options = options
    this.#slots = new Slots(concurrency)
    this.signal = AbortSignal.any([signal, this.#failed.signal])
    this.#server =
      target === undefined
        ? undefined
        : new LocalServer({
            ...{ url: target, secret, signal: graceful(this.signal) },
            stopped: this.signal,
            onUnreachable: (code) =>
              terminal.note(
                `${new URL(target).host} does not accept connections (${clean(code)}). The events wait. Start your server.`,
              ),
            onReachable: () => terminal.note(`${new URL(target).host} accepts connections again.`),
          })
  }

  /** Starts to handle an event. Waits while all slots are in use. An ID without an event is only a position. */
  async handle(id: string | undefined, event: Received | undefined): Promise<void> {
    const settle = id === undefined ? () => {} : this.#options.position.add(id)
    await this.#slots.start(async () => {
      try {
        if (event) {
          const outcome = await this.#server?.send(event)
          // An event without an outcome is sent again after the next start.
          if (this.#server && !outcome) return
          this.#report(event, outcome)
        }
        settle()
        await this.#options.position.save()
      } catch (error) {
        this.#error ??= error
        this.#failed.abort()
      }
    })
  }

  /** Waits for running requests, and stores the position. Throws if the position could not be stored. */
  async finish(): Promise<void> {
    await this.#slots.idle()
    if (this.#error !== undefined) throw this.#error
    await this.#options.position.save()
  }

  get summary(): string {
    return `${this.#count === 1 ? '1 event' : `${this.#count} events`} received. Run the command again to continue after them.`
  }

  #report({ id, type, timestamp, body }: Received, outcome: Outcome | undefined): void {
    const { terminal, printJson } = this.#options
    this.#count++
    if (printJson) terminal.print(escaped(body))
    else if (terminal.json) terminal.printJson({ id, type, timestamp, ...outcome })
    else terminal.print(lineOf(terminal, { id, type, timestamp }, outcome))
  }
}

function lineOf(
  terminal: Terminal,
  { id, type, timestamp }: Omit<Received, 'body'>,
  outcome: Outcome | undefined,
): string {
  const { status, failure, ms } = outcome ?? {}
  const answer = status ?? failure
  const end = answer === undefined ? '' : `  ${terminal.paint(colourOfStatus(status), clean(answer))}  ${ms} ms`
  return `${terminal.paint('dim', timeOf(timestamp))}  ${type.padEnd(32)}${end}  ${terminal.paint('dim', id)}`
}

/** Returns a signal that is aborted some time after another one, so that running requests can end. */
function graceful(signal: AbortSignal): AbortSignal {
  const late = new AbortController()
  signal.addEventListener('abort', () => setTimeout(() => late.abort(), graceMs).unref(), { once: true })
  return late.signal
}
