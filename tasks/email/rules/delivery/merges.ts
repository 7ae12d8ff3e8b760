import type { Db } from '#sql/db.ts'
import * as merges from '#sql/email/merges.ts'
import type { MergeFields } from '../merge-fields.ts'

/** Messages whose fields are remembered: more than all connections of a process have taken at once. */
const most = 2_000

/** What the fields of a campaign stand for in messages that are about to be sent, read for a batch at once. */
export class Merges {
  readonly #known = new Map<string, MergeFields>()

  async load(db: Db, messageIds: readonly string[]): Promise<void> {
    const missing = messageIds.filter((id) => !this.#known.has(id))
    for (const { message_id, fields } of await merges.findMany(db, missing)) this.#known.set(message_id, fields)
    // Those that were read and never sent: what is asked for again is read again.
    for (const id of this.#known.keys()) {
      if (this.#known.size <= most) break
      this.#known.delete(id)
    }
  }

  /** Those of one message, which are then forgotten; undefined when it has none. */
  async take(db: Db, messageId: string): Promise<MergeFields | undefined> {
    if (!this.#known.has(messageId)) await this.load(db, [messageId])
    const fields = this.#known.get(messageId)
    this.#known.delete(messageId)
    return fields
  }
}
