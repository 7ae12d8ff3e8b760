import { kill } from '../../kill.ts'
import { type Part, type SupervisedPart, supervise } from '../../start/supervise.ts'

export class Actor {
  readonly part: Part
  readonly #log: string
  #supervised: SupervisedPart
  /** True while a fault uses the actor. Only one fault can use it at a time. */
  taken = false

  constructor(part: Part, log: string) {
    this.part = part
    this.#log = log
    this.#supervised = supervise(part, log)
  }

  get ready(): Promise<void> {
    return this.#supervised.ready
  }

  /** Process ID, or `undefined` while no process is running. */
  get pid(): number | undefined {
    return this.#supervised.pid
  }

  /** Kills the process and does not restart it. */
  async away(): Promise<void> {
    const { pid } = this
    if (pid !== undefined) kill(pid)
    await this.#supervised.stop()
  }

  async back(): Promise<void> {
    this.#supervised = supervise(this.part, this.#log)
    await this.#supervised.ready
  }

  async stop(): Promise<void> {
    const { pid } = this
    // A stopped process does not receive SIGTERM.
    if (pid !== undefined) process.kill(pid, 'SIGCONT')
    await this.#supervised.stop()
  }
}
