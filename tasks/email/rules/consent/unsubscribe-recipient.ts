import type { Db } from '#sql/db.ts'
import type { Recipient } from '#sql/email/contacts.ts'
import type { EventContact } from '../event-data.ts'
import { setTopics } from './set-topics.ts'
import { unsubscribe } from './unsubscribe.ts'

/** Unsubscribes the recipient of a message: from its topic, or from all email if it has none or with `all`. */
export async function unsubscribeRecipient(
  tx: Db,
  { id: messageId, org_id: orgId, to_email: address, topic, sandbox }: Recipient,
  source: EventContact['source'],
  { all = false }: { all?: boolean } = {},
): Promise<void> {
  const about = { orgId, address, source, messageId, sandbox }
  if (topic === null || all) await unsubscribe(tx, about)
  else await setTopics(tx, { ...about, choices: { [topic]: 'unsubscribed' } })
}
