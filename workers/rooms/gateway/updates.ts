import { Bucket } from './bucket.ts'
import type { Member } from './member.ts'
import type { ServerMessage } from './messages.ts'

/** Maximum number of updates of one participant that are sent to all participants: per second, and in a burst. */
export const [updatesPerSecond, updatesAtOnce] = [2, 6]

interface ChangingRoom {
  members: ReadonlyMap<string, Member>
  save(member: Member): Promise<void>
  tell(message: ServerMessage): void
}

interface Told {
  bucket: Bucket
  /** True if an update is scheduled. The update will send the state at that time. */
  waits: boolean
}

/**
 * Sends updates of participants. Changes above the limit are combined and sent later. The last state is always sent.
 */
export class Updates {
  readonly #room: ChangingRoom
  readonly #told = new WeakMap<Member, Told>()

  constructor(room: ChangingRoom) {
    this.#room = room
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
    if (this.#room.members.get(member.id) !== member) return
    if (member.unsaved) void this.#room.save(member)
    this.#room.tell({ type: 'participant', event: 'updated', participant: member.shown })
  }
}
