import { toStoredForm } from '#lib/email-address.ts'
import type { Db } from '#sql/db.ts'
import * as events from '#sql/email/contacts/events.ts'
import * as contacts from '#sql/email/contacts.ts'
import { announceConsent } from '../../../people/rules/announce-consent.ts'
import { emit } from '../../../webhooks/rules/emit.ts'
import { contactData, type EventContact } from '../event-data.ts'

export interface Unsubscription {
  orgId: string
  /** Email address in any spelling. If it is not a contact yet, a contact with this spelling is created. */
  address: string
  source: EventContact['source']
  messageId: string | null
  sandbox?: boolean
  /** True if the caller sends the event of the person’s consent. */
  isAnnounced?: boolean
}

const stateOf = ({ status }: contacts.Contact) => (status === 'confirmed' ? ('granted' as const) : ('pending' as const))

/**
 * Unsubscribes an email address, even if it is not a contact yet. A repeated call changes nothing. Returns the contact.
 */
export async function unsubscribe(
  tx: Db,
  { orgId, address, source, messageId, sandbox = false, isAnnounced = false }: Unsubscription,
): Promise<contacts.Contact> {
  const email = toStoredForm(address)
  const before = sandbox ? null : await contacts.find(tx, orgId, email)
  const changed = await contacts.setUnsubscribed(tx, orgId, address, sandbox)
  if (!changed) return (await contacts.find(tx, orgId, email, sandbox)) as contacts.Contact
  const about = { org_id: orgId, contact_id: changed.id, message_id: messageId }
  await events.insertMany(tx, [{ ...about, kind: 'unsubscribed', source, detail: null }], sandbox)
  const data = contactData({ id: changed.id, email, source, messageId, sandbox })
  await emit(tx, orgId, 'email.contact.unsubscribed', data)
  if (!sandbox && !isAnnounced) {
    const previous_state = before ? stateOf(before) : ('none' as const)
    const { org_id, user_id } = changed
    await announceConsent(tx, { org_id, user_id, channel: 'email', state: 'denied', previous_state, source })
  }
  return changed
}
