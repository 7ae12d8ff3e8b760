import { toStoredForm } from '#lib/email-address.ts'
import type { Db } from '#sql/db.ts'
import * as events from '#sql/email/contacts/events.ts'
import * as contacts from '#sql/email/contacts.ts'
import { emit } from '../../../webhooks/rules/emit.ts'
import { contactData, type EventContact } from '../event-data.ts'

export interface Unsubscription {
  orgId: string
  /** Email address in any spelling. If it is not a contact yet, a contact with this spelling is created. */
  address: string
  source: EventContact['source']
  messageId: string | null
  sandbox?: boolean
}

/**
 * Unsubscribes an email address, even if it is not a contact yet. A repeated call changes nothing. Returns the contact.
 */
export async function unsubscribe(
  tx: Db,
  { orgId, address, source, messageId, sandbox = false }: Unsubscription,
): Promise<contacts.Contact> {
  const email = toStoredForm(address)
  const changed = await contacts.setUnsubscribed(tx, orgId, address, sandbox)
  if (!changed) return (await contacts.find(tx, orgId, email, sandbox)) as contacts.Contact
  const about = { org_id: orgId, contact_id: changed.id, message_id: messageId }
  await events.insertMany(tx, [{ ...about, kind: 'unsubscribed', source, detail: null }], sandbox)
  const data = contactData({ id: changed.id, email, source, messageId, sandbox })
  await emit(tx, orgId, 'email.contact.unsubscribed', data)
  return changed
}
