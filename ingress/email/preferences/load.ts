import { notFound, unauthorized } from '#lib/errors.ts'
import * as publishers from '#sql/account/publishers.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import * as contacts from '#sql/email/contacts.ts'
import * as topics from '#sql/email/topics.ts'
import * as people from '#sql/notify/people.ts'
import * as preferences from '#sql/notify/preferences.ts'
import type * as users from '#sql/notify/users.ts'
import { readPreferencesToken } from '#tasks/email/rules/consent/preferences-link.ts'
import { getTopicState, isShown } from '#tasks/email/rules/consent/topic-rules.ts'
import { getPersonId } from '#tasks/notify/rules/person-id.ts'
import type { Services } from '../../http/container.ts'
import { requireOpenOrganisation } from '../../http/demand-open.ts'
import { liveKeys } from '../../http/live-keys.ts'
import { signingSecret } from '../../http/services.ts'

/** Who a preference page belongs to. */
export interface PreferencesOwner {
  orgId: string
  address: string
  contact: contacts.Contact | null
  messageId: string | null
  sandbox: boolean
  /** Person of the notify area. Null if there is none, or if the page does not show notifications. */
  person: users.Person | null
}

/**
 * Returns the owner of a token. Throws 404 for a page and 401 for JavaScript if the token is forged, has expired or
 * belongs to a revoked key, and 404 if the contact was deleted.
 */
export async function findOwner(
  db: DatabasePool,
  services: Services,
  token: string,
  kind: 'page' | 'token',
): Promise<PreferencesOwner> {
  const subject = readPreferencesToken(token, services(signingSecret))
  const isLive = subject !== null && ('m' in subject || (await services(liveKeys).isLive(subject.key)))
  if (!isLive) {
    if (kind === 'page') throw notFound('page')
    throw unauthorized('The preferences token is invalid or has expired. Create a new one on your server.')
  }
  const owner = 'm' in subject ? await ofMessage(db, subject.m) : await ofContact(db, subject)
  if (!owner) throw notFound('page')
  await requireOpenOrganisation(db, owner.orgId, 'page')
  return owner
}

async function ofMessage(db: Db, messageId: string): Promise<PreferencesOwner | null> {
  const recipient = await contacts.findRecipient(db, messageId)
  if (!recipient) return null
  const { org_id: orgId, to_email: address, sandbox } = recipient
  const contact = await contacts.find(db, orgId, address, sandbox)
  return { orgId, address, contact, messageId, sandbox, person: sandbox ? null : await personOf(db, orgId, address) }
}

type ContactSubject = Exclude<NonNullable<ReturnType<typeof readPreferencesToken>>, { m: string }>

async function ofContact(db: Db, subject: ContactSubject): Promise<PreferencesOwner | null> {
  const { org: orgId, sandbox, user, notify } = subject
  const contact = await contacts.findById(db, orgId, subject.contact, sandbox)
  if (!contact) return null
  const named = user === null ? await personOf(db, orgId, contact.email) : { org_id: orgId, user_id: getPersonId(user) }
  const person = sandbox || !notify ? null : named
  return { orgId, address: contact.email, contact, messageId: null, sandbox, person }
}

async function personOf(db: Db, orgId: string, email: string): Promise<users.Person | null> {
  const person = await people.findByEmail(db, orgId, email)
  return person && { org_id: orgId, user_id: person.user_id }
}

export interface ShownTopic extends Pick<topics.Topic, 'key' | 'name' | 'description'> {
  state: contacts.TopicState
}

export interface ShownPreferences {
  publisher: publishers.Publisher | null
  topics: readonly ShownTopic[]
  notifications: readonly (preferences.OfferedType & { channels: preferences.Channel[] })[]
}

/** Returns what the page of an owner shows. */
export async function loadPreferences(db: Db, owner: PreferencesOwner): Promise<ShownPreferences> {
  const { orgId, person } = owner
  const contact = owner.contact ?? undefined
  const [publisher, all, offered] = await Promise.all([
    publishers.find(db, orgId),
    topics.listAll(db, orgId),
    person ? preferences.listOffered(db, person) : [],
  ])
  const shown = all.filter((topic) => isShown(topic, contact))
  return {
    publisher,
    topics: shown.map((topic) => ({
      key: topic.key,
      name: topic.name,
      description: topic.description,
      state: getTopicState(topic, contact),
    })),
    notifications: offered.map((one) => ({ ...one, channels: one.channels ?? defaultChannels(one, offered) })),
  }
}

/** Returns the channels of a type without its own preference: those of all types of the product, or the inbox. */
function defaultChannels(
  { product_key }: preferences.OfferedType,
  offered: readonly preferences.OfferedType[],
): preferences.Channel[] {
  const all = offered.find((one) => one.product_key === product_key && one.type === preferences.anyType)
  return all?.channels ?? ['in_app']
}
