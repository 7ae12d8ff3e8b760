import type { Db } from '#sql/db.ts'
import * as details from '#sql/email/contacts/details.ts'
import * as events from '#sql/email/contacts/events.ts'
import * as choices from '#sql/email/contacts/topic-choices.ts'
import * as contacts from '#sql/email/contacts.ts'
import { emit } from '../../../webhooks/rules/emit.ts'
import { type EventContact, topicsData } from '../event-data.ts'

export interface TopicChange {
  orgId: string
  /** Email address in any spelling. If it is not a contact yet, an unconfirmed contact is created. */
  address: string
  choices: choices.TopicChoices
  source: EventContact['source']
  messageId: string | null
  sandbox: boolean
}

/** Stores choices of topics. A repeated call changes nothing. Returns the contact. */
export async function setTopics(tx: Db, change: TopicChange): Promise<contacts.Contact> {
  const { orgId, source, messageId, sandbox } = change
  const before = await lockContact(tx, change)
  const changed = Object.entries(change.choices).filter(([key, state]) => before.topics[key] !== state)
  if (changed.length === 0) return before
  const after = await choices.add(tx, before.id, Object.fromEntries(changed), sandbox)
  const detail = changed.map(([key, state]) => `${key}: ${state}`).join(', ')
  const about = { org_id: orgId, contact_id: before.id, message_id: messageId, detail }
  await events.insertMany(tx, [{ ...about, kind: 'topics_changed', source }], sandbox)
  const data = topicsData(
    { id: before.id, email: before.email, source, messageId, sandbox },
    Object.fromEntries(changed),
  )
  await emit(tx, orgId, 'email.contact.topics_changed', data)
  return after
}

async function lockContact(tx: Db, { orgId, address, sandbox }: TopicChange): Promise<contacts.Contact> {
  const email = address.toLowerCase()
  const found = await details.lock(tx, orgId, email, sandbox)
  if (found) return found
  const written = address === email ? null : address
  await contacts.insertUnconfirmed(tx, orgId, [{ email, written }], sandbox)
  return (await details.lock(tx, orgId, email, sandbox)) as contacts.Contact
}
