import { kill } from '../kill.ts'
import { type Part, type SupervisedPart, supervise } from '../start/supervise.ts'

/** A part that is kept running, until a fault takes it away for a while. */
export class Actor {
  readonly part: Part
  readonly #log: string
  #supervised: SupervisedPart
  /** Whether a fault has it: no two do at once. */
  taken = false

  constructor(part: Part, log: string) {
    this.part = part
    this.#log = log
    this.#supervised = supervise(part, log)
  }

  get ready(): Promise<void> {
    return this.#supervised.ready
  }

  /** Its process; undefined while there is none. */
  get pid(): number | undefined {
    return this.#supervised.pid
  }

  /** Kills it and has it stay away. */
  async away(): Promise<void> {
    const { pid } = this
    if (pid !== undefined) kill(pid)
    await this.#supervised.stop()
  }

  /** Has it come again. */
  async back(): Promise<void> {
    this.#supervised = supervise(this.part, this.#log)
    await this.#supervised.ready
  }

  async stop(): Promise<void> {
    const { pid } = this
    // A process that a fault has stopped hears no SIGTERM.
    if (pid !== undefined) process.kill(pid, 'SIGCONT')
    await this.#supervised.stop()
  }
}
