import type { z } from 'zod'
import { log } from '#lib/log.ts'
import type { LeftReason } from '#sql/rooms/participants.ts'
import type { RoomPresence } from '#tasks/rooms/engine.ts'

export class Departures {
  readonly #room: string
  readonly #presence: RoomPresence
  readonly #leaving = new Map<string, z.infer<typeof LeftReason>>()

  constructor(room: string, presence: RoomPresence) {
    this.#room = room
    this.#presence = presence
  }

  note(connectionId: string, reason: z.infer<typeof LeftReason>): void {
    this.#leaving.set(connectionId, reason)
    void this.save()
  }

  async save(): Promise<void> {
    for (const [connection, reason] of [...this.#leaving]) {
      try {
        await this.#presence.leave(connection, reason)
        this.#leaving.delete(connection)
      } catch (error) {
        log.warn({ err: error, room: this.#room }, 'the departure of a participant could not be stored; retrying')
      }
    }
  }
}
