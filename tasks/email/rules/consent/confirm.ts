import type { Db } from '#sql/db.ts'
import * as consents from '#sql/email/contacts/consents.ts'
import * as events from '#sql/email/contacts/events.ts'
import * as contacts from '#sql/email/contacts.ts'
import * as signUps from '#sql/email/sign-ups.ts'
import { announceConsent } from '../../../people/rules/announce-consent.ts'
import { emit } from '../../../webhooks/rules/emit.ts'
import { contactData } from '../event-data.ts'
import { setTopics } from './set-topics.ts'

type Confirmation = Pick<contacts.Recipient, 'id' | 'org_id' | 'sandbox'> & { contact_id: string }

/**
 * Confirms an unconfirmed contact. If the message is the request of a form, the sign-up becomes evidence and its topics
 * are subscribed to. A repeated call changes nothing. Returns the current status.
 */
export async function confirm(tx: Db, confirmation: Confirmation): Promise<contacts.ContactStatus | null> {
  const { org_id, contact_id, id: messageId, sandbox } = confirmation
  const signUp = await signUps.lockAsked(tx, messageId)
  const changed = await contacts.setConfirmed(tx, org_id, contact_id, sandbox, signUp?.source)
  if (changed) {
    const about = { org_id, contact_id, message_id: messageId, detail: signUp?.source ?? null }
    await events.insertMany(tx, [{ ...about, kind: 'confirmed', source: 'page' }], sandbox)
    const data = contactData({ id: contact_id, email: changed.email, source: 'page', messageId, sandbox })
    await emit(tx, org_id, 'email.contact.confirmed', data)
    const { user_id } = changed
    const change = { channel: 'email', state: 'granted', previous_state: 'pending', source: 'reconfirm' } as const
    if (!sandbox) await announceConsent(tx, { org_id, user_id, ...change })
  }
  const contact = changed ?? (await contacts.findById(tx, org_id, contact_id, sandbox))
  if (signUp && contact?.status === 'confirmed') await keepEvidence(tx, confirmation, signUp, contact.email)
  return contact?.status ?? null
}

async function keepEvidence(
  tx: Db,
  { org_id, contact_id, id: messageId, sandbox }: Confirmation,
  { id, source, created_at, ip, text_version, consent_text, topics, form_id }: signUps.SignUp,
  address: string,
): Promise<void> {
  await signUps.setConfirmed(tx, id)
  const given_at = created_at.toISOString()
  const about = { org_id, contact_id, import_id: null, form_id }
  const evidence = { ...about, source, given_at, ip, text_version, consent_text, topics }
  await consents.insertMany(tx, [evidence], sandbox)
  if (topics.length === 0) return
  const choices = Object.fromEntries(topics.map((key) => [key, 'subscribed' as const]))
  await setTopics(tx, { orgId: org_id, address, choices, source: 'form', messageId, sandbox })
}
