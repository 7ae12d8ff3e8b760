import { z } from 'zod'
import { Address, originalFormIfDifferent, toStoredForm, WrittenAddress } from '#lib/email-address.ts'
import { newId } from '#lib/ids.ts'
import { UserId } from '#lib/user-id.ts'
import { listOf as listConsents } from '#sql/email/contacts/consents.ts'
import * as events from '#sql/email/contacts/events.ts'
import * as contacts from '#sql/email/contacts.ts'
import { unsubscribe as unsubscribeAddress } from '#tasks/email/rules/consent/unsubscribe.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { route } from '../http/route.ts'
import { applyDetails, ContactChanges, changeContact, DetailFields } from './contacts/changes.ts'
import { Contact, ContactWithHistory, present } from './contacts/view.ts'
import { assertContactRoom, isSandbox, sandboxLimit } from './messages/sandbox.ts'

const unsubscribed = problem(409, 'contact_unsubscribed', 'The contact has unsubscribed permanently.')
const params = z.object({ email: Address })

export const create = route({
  method: 'POST',
  path: '/contacts',
  repeatable: true,
  summary: 'Add a contact who gave consent',
  description:
    'Records where the contact gave consent. The contact is `confirmed`. An unconfirmed contact becomes `confirmed`, and a confirmed contact does not change.',
  tool: { name: 'create_contact' },
  scope: 'email:manage',
  testKeys: 'sandbox',
  body: z.strictObject({
    email: WrittenAddress.describe(
      'Email address. The API returns it in lower case. Emails are sent to the spelling that you used last.',
    ),
    consent_source: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .default('api')
      .describe('Where the person gave consent. Default: `api`.'),
    ...DetailFields,
  }),
  status: 201,
  reply: Contact,
  problems: [unsubscribed, sandboxLimit],
  example: { body: { email: 'ann@example.net', consent_source: 'sign-up form' } },
  async handle({ body: { email: address, consent_source, ...known }, org, key, db }) {
    const inSandbox = isSandbox(key)
    const [email, written] = [toStoredForm(address), originalFormIfDifferent(address)]
    return await db.transaction(async (tx) => {
      if (inSandbox) await assertContactRoom(tx, org.id, [email])
      const wanted = { id: newId(), org_id: org.id, email, written, consent_source }
      const changed = await contacts.upsertConfirmed(tx, wanted, inSandbox)
      if (!changed) {
        const before = await contacts.find(tx, org.id, email, inSandbox)
        if (before?.status === 'confirmed') {
          if (before.written !== written) await contacts.setWritten(tx, before.id, written, inSandbox)
          return present(await applyDetails(tx, before, known, inSandbox))
        }
        throw unsubscribed('This contact has unsubscribed and cannot be added again.')
      }
      const kind = changed.id === wanted.id ? ('added' as const) : ('confirmed' as const)
      const about = { org_id: org.id, contact_id: changed.id, message_id: null }
      await events.insertMany(tx, [{ ...about, kind, source: 'api', detail: consent_source }], inSandbox)
      return present(await applyDetails(tx, changed, known, inSandbox))
    })
  },
})

export const list = listRoute({
  path: '/contacts',
  summary: 'List contacts, newest first',
  description:
    'Returns contacts with their consent state. `status` selects one state, `user_id` the contacts of one person.',
  tool: { name: 'list_contacts', outsideText: true },
  scope: 'email:manage',
  testKeys: 'sandbox',
  filters: contacts.filters,
  query: { status: contacts.ContactStatus.optional(), user_id: UserId.optional() },
  item: Contact,
  rows: ({ org, key, db }, page) => contacts.list(db, org.id, page, isSandbox(key)),
  present,
})

export const read = route({
  method: 'GET',
  path: '/contacts/{email}',
  summary: 'Read a contact with its consent history',
  description: 'Returns the contact with each change of its consent: the time, the source and the new state.',
  scope: 'email:manage',
  testKeys: 'sandbox',
  params,
  status: 200,
  reply: ContactWithHistory,
  problems: ['not_found'],
  async handle({ params: { email }, org, key, db }) {
    const contact = await mustFind(contacts.find(db, org.id, email, isSandbox(key)), 'contact')
    const [consents, history] = await Promise.all([
      listConsents(db, contact.id, isSandbox(key)),
      events.listHistory(db, contact.id, isSandbox(key)),
    ])
    return { ...present(contact), consents: [...consents], history: [...history] }
  },
})

export const update = route({
  method: 'PATCH',
  path: '/contacts/{email}',
  summary: 'Update a contact',
  description: 'Changes name, attributes, tags and the link to a person. The consent does not change.',
  scope: 'email:manage',
  testKeys: 'sandbox',
  params,
  body: ContactChanges,
  status: 200,
  reply: Contact,
  problems: ['not_found', sandboxLimit],
  example: { body: { name: 'Ann Lee', attributes: { city: 'Tallinn', orders: 3 }, add_tags: ['customer'] } },
  async handle({ params: { email }, body, org, key, db }) {
    const inSandbox = isSandbox(key)
    return await db.transaction(async (tx) => {
      if (inSandbox) await assertContactRoom(tx, org.id, [email])
      return present(await changeContact(tx, org.id, email, body, inSandbox))
    })
  },
})

export const unsubscribe = route({
  method: 'POST',
  path: '/contacts/{email}/unsubscribe',
  repeatable: true,
  summary: 'Unsubscribe a contact',
  description:
    'Permanent: the contact never receives the `subscribed` stream again. If the address is not a contact, Millrace creates one.',
  scope: 'email:manage',
  testKeys: 'sandbox',
  params: z.object({ email: WrittenAddress }),
  status: 200,
  reply: Contact,
  problems: [sandboxLimit],
  async handle({ params: { email: address }, org, key, db }) {
    const wanted = { orgId: org.id, address, source: 'api' as const, messageId: null, sandbox: isSandbox(key) }
    return await db.transaction(async (tx) => {
      if (wanted.sandbox) await assertContactRoom(tx, org.id, [toStoredForm(address)])
      return present(await unsubscribeAddress(tx, wanted))
    })
  },
})

/**
 * Contacts that have unsubscribed are kept, because their rows prevent further email. A sandbox sends nothing, so its
 * contacts can be deleted.
 */
export const remove = removeRoute({
  path: '/contacts/{email}',
  summary: 'Delete a contact',
  description: 'Deletes the contact with its history. A contact that has unsubscribed is kept and returns `409`.',
  scope: 'email:manage',
  testKeys: 'sandbox',
  params,
  reply: { email: z.string() },
  problems: [unsubscribed],
  what: 'contact',
  remove: async ({ params: { email }, org, key, db }) => {
    if (await contacts.remove(db, org.id, email, isSandbox(key))) return true
    const kept = await contacts.find(db, org.id, email, isSandbox(key))
    if (kept?.status !== 'unsubscribed') return false
    throw unsubscribed('This contact has unsubscribed. Millrace keeps the contact so that it cannot be added again.')
  },
})
