import { Bucket } from './bucket.ts'
import type { Member } from './member.ts'

/** Updates of one participant that everybody is told: a second, and at once. */
export const [updatesPerSecond, updatesAtOnce] = [2, 6]

interface Told {
  bucket: Bucket
  /** Whether a later update is on its way, which tells the state of then. */
  waits: boolean
}

/** Passes updates of participants on. What changes faster than the limit is passed on later, and once: the last state is always told. */
export class Updates {
  readonly #pass: (member: Member) => void
  /** By connection, so that what is known of it goes with it. */
  readonly #told = new WeakMap<Member, Told>()

  constructor(pass: (member: Member) => void) {
    this.#pass = pass
  }

  note(member: Member): void {
    const told = this.#told.get(member) ?? { bucket: new Bucket(updatesPerSecond, updatesAtOnce), waits: false }
    this.#told.set(member, told)
    if (told.waits) return
    if (told.bucket.has(1)) {
      this.#tell(member, told)
      return
    }
    told.waits = true
    setTimeout(() => this.#tell(member, told), 1000 / updatesPerSecond).unref()
  }

  #tell(member: Member, told: Told): void {
    told.waits = false
    told.bucket.spend(1)
    this.#pass(member)
  }
}
