import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as received from '#sql/email/received.ts'

/** Returns the message that an email replies to. Message-IDs of Millrace begin with the ID of the message. */
export async function findAnsweredMessage(
  db: Db,
  orgId: string,
  messageIds: readonly string[],
): Promise<string | null> {
  const candidates = messageIds.flatMap((message_id) => {
    const id = Id.safeParse(message_id.split('@', 1)[0])
    return id.success ? [{ id: id.data, message_id }] : []
  })
  return await received.findAnswered(db, orgId, candidates)
}
