import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as received from '#sql/email/received.ts'

/** The message of an organisation's that a mail answers: a Message-ID of ours begins with the message's id. */
export async function answered(db: Db, orgId: string, messageIds: readonly string[]): Promise<string | null> {
  const candidates = messageIds.flatMap((message_id) => {
    const id = Id.safeParse(message_id.split('@', 1)[0])
    return id.success ? [{ id: id.data, message_id }] : []
  })
  return await received.findAnswered(db, orgId, candidates)
}
