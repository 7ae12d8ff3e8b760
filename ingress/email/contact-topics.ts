import { z } from 'zod'
import { Address, toStoredForm, WrittenAddress } from '#lib/email-address.ts'
import { badRequest } from '#lib/errors.ts'
import type { Db } from '#sql/db.ts'
import * as contacts from '#sql/email/contacts.ts'
import * as topics from '#sql/email/topics.ts'
import { setTopics } from '#tasks/email/rules/consent/set-topics.ts'
import { getTopicState } from '#tasks/email/rules/consent/topic-rules.ts'
import { mustFind } from '../http/must-find.ts'
import { route } from '../http/route.ts'
import { TopicKey } from './fields.ts'
import { assertContactRoom, isSandbox, sandboxLimit } from './messages/sandbox.ts'

const TopicStates = z
  .object({
    email: z.string(),
    topics: z.array(
      z.object({
        key: z.string(),
        name: z.string(),
        state: contacts.TopicState,
        chosen: z.boolean().describe('False if the contact has not chosen, so that the default applies'),
      }),
    ),
  })
  .meta({ id: 'email.ContactTopics' })

async function statesOf(db: Db, contact: contacts.Contact): Promise<z.input<typeof TopicStates>> {
  const all = await topics.listAll(db, contact.org_id)
  return {
    email: contact.email,
    topics: all.map((topic) => ({
      key: topic.key,
      name: topic.name,
      state: getTopicState(topic, contact),
      chosen: Object.hasOwn(contact.topics, topic.key),
    })),
  }
}

export const read = route({
  method: 'GET',
  path: '/contacts/{email}/topics',
  summary: 'Read the topics of a contact',
  description: 'Returns each email topic with the state for this contact: the choice, or the default of the topic.',
  scope: 'email:manage',
  testKeys: 'sandbox',
  params: z.object({ email: Address }),
  status: 200,
  reply: TopicStates,
  problems: ['not_found'],
  async handle({ params: { email }, org, key, db }) {
    return await statesOf(db, await mustFind(contacts.find(db, org.id, email, isSandbox(key)), 'contact'))
  },
})

export const set = route({
  method: 'PATCH',
  path: '/contacts/{email}/topics',
  summary: 'Set the topics of a contact',
  description:
    'Sets the given topics. Others do not change. Millrace creates an unconfirmed contact if the address is not a contact. The consent state does not change.',
  scope: 'email:manage',
  testKeys: 'sandbox',
  params: z.object({ email: WrittenAddress }),
  body: z.strictObject({
    topics: z
      .record(TopicKey, contacts.TopicState)
      .refine((given) => Object.keys(given).length > 0, { error: 'must contain at least one topic' })
      .refine((given) => Object.keys(given).length <= topics.maxPerOrg, {
        error: `must contain at most ${topics.maxPerOrg} topics`,
      })
      .describe('State by key of the topic'),
  }),
  status: 200,
  reply: TopicStates,
  problems: [sandboxLimit],
  example: { body: { topics: { 'product-news': 'subscribed', offers: 'unsubscribed' } } },
  async handle({ params: { email: address }, body, org, key, db }) {
    const sandbox = isSandbox(key)
    await demandTopics(db, org.id, Object.keys(body.topics), (name) => `body.topics.${name}`)
    const about = { orgId: org.id, address, choices: body.topics, source: 'api' as const, messageId: null, sandbox }
    return await db.transaction(async (tx) => {
      if (sandbox) await assertContactRoom(tx, org.id, [toStoredForm(address)])
      return await statesOf(tx, await setTopics(tx, about))
    })
  },
})

/** Throws 400 with each key that is not a topic of the organisation. */
export async function demandTopics(
  db: Db,
  orgId: string,
  keys: readonly string[],
  fieldOf: (key: string, at: number) => string,
): Promise<void> {
  const found = await topics.findMany(
    db,
    keys.map((key) => ({ org_id: orgId, key })),
  )
  const known = new Set(found.map(({ key }) => key))
  const faults = keys.flatMap((key, at) =>
    known.has(key) ? [] : [{ field: fieldOf(key, at), issue: 'must be the key of one of your topics' }],
  )
  if (faults.length > 0) throw badRequest(faults)
}
