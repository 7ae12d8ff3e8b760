import type { Db } from '#sql/db.ts'
import * as merges from '#sql/email/delivery/merges.ts'
import type { MergeFields } from '../campaigns/merge-fields.ts'

/**
 * Maximum number of messages with cached placeholders. Higher than the number that all connections of a process take at
 * the same time.
 */
const most = 2_000

export class Merges {
  readonly #known = new Map<string, MergeFields>()

  async load(db: Db, messageIds: readonly string[]): Promise<void> {
    const missing = messageIds.filter((id) => !this.#known.has(id))
    for (const { message_id, fields } of await merges.findMany(db, missing)) this.#known.set(message_id, fields)
    // Removes values of messages that were never sent. They can be read again.
    for (const id of this.#known.keys()) {
      if (this.#known.size <= most) break
      this.#known.delete(id)
    }
  }

  /** Returns and removes the values of one message. Undefined if the message has none. */
  async take(db: Db, messageId: string): Promise<MergeFields | undefined> {
    if (!this.#known.has(messageId)) await this.load(db, [messageId])
    const fields = this.#known.get(messageId)
    this.#known.delete(messageId)
    return fields
  }
}
