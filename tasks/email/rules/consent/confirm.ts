import type { Db } from '#sql/db.ts'
import * as events from '#sql/email/contacts/events.ts'
import * as contacts from '#sql/email/contacts.ts'
import { announceConsent } from '../../../people/rules/announce-consent.ts'
import { emit } from '../../../webhooks/rules/emit.ts'
import { contactData } from '../event-data.ts'

/** Confirms an unconfirmed contact. A repeated call changes nothing. Returns the current status. */
export async function confirm(
  tx: Db,
  {
    org_id,
    contact_id,
    id: messageId,
    sandbox,
  }: Pick<contacts.Recipient, 'id' | 'org_id' | 'sandbox'> & { contact_id: string },
): Promise<contacts.ContactStatus | null> {
  const changed = await contacts.setConfirmed(tx, org_id, contact_id, sandbox)
  if (!changed) return (await contacts.findById(tx, org_id, contact_id, sandbox))?.status ?? null
  const about = { org_id, contact_id, message_id: messageId, detail: null }
  await events.insertMany(tx, [{ ...about, kind: 'confirmed', source: 'page' }], sandbox)
  const data = contactData({ id: contact_id, email: changed.email, source: 'page', messageId, sandbox })
  await emit(tx, org_id, 'email.contact.confirmed', data)
  const { user_id } = changed
  const change = { channel: 'email', state: 'granted', previous_state: 'pending', source: 'reconfirm' } as const
  if (!sandbox) await announceConsent(tx, { org_id, user_id, ...change })
  return changed.status
}
