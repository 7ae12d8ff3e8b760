import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as changes from '#sql/people/consent-changes.ts'
import { isKnown } from '#sql/people/keys.ts'
import { changeConsent } from '#tasks/people/rules/change-consent.ts'
import { readKnowledge } from '#tasks/people/rules/knowledge.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { route } from '../http/route.ts'
import { Consent, params, personOf } from './fields.ts'

const Decision = z.enum(['granted', 'denied'])

const noAddress = problem(409, 'no_address', 'The person has no address or user of a channel.')
const unsubscribed = problem(409, 'contact_unsubscribed', 'A contact of the person has unsubscribed permanently.')

export const read = route({
  method: 'GET',
  path: '/{user_id}/consent',
  summary: 'Read the consent of a person',
  description: 'Returns the state of each channel with its source and time. It is read from the tables of the channel.',
  scope: 'people:read',
  params,
  status: 200,
  reply: Consent,
  problems: ['not_found'],
  async handle({ params: { user_id }, org, db }) {
    return (await mustFind(readKnowledge(db, personOf(org.id, user_id)), 'person')).consent
  },
})

/** Longest evidence in bytes of JSON. */
const mostEvidence = 4_096

const Evidence = z
  .record(z.string().min(1).max(100), z.string().max(2_000))
  .refine((evidence) => Buffer.byteLength(JSON.stringify(evidence)) <= mostEvidence, {
    error: `must be at most ${mostEvidence} bytes of JSON`,
  })

const ConsentBody = z
  .strictObject({
    email: Decision.optional().describe('Marketing email. `denied` unsubscribes permanently.'),
    push: Decision.optional(),
    whatsapp: Decision.optional(),
    sms: Decision.optional(),
    source: z.string().trim().min(1).max(200).describe('Where the person decided, such as `preference centre`'),
    evidence: Evidence.optional().describe('Proof of the decision, such as the version of the form'),
    given_at: z.iso
      .datetime({ offset: true, abort: true })
      .refine((at) => Date.parse(at) <= Date.now() + 60_000, { error: 'must not be in the future' })
      .optional()
      .describe('When the person decided. Default: now.'),
  })
  .refine(({ email, push, whatsapp, sms }) => [email, push, whatsapp, sms].some((one) => one !== undefined), {
    error: 'must contain at least one of `email`, `push`, `whatsapp` and `sms`',
  })

export const put = route({
  method: 'PUT',
  path: '/{user_id}/consent',
  summary: 'Change the consent of a person',
  description:
    'Changes contacts, push users, WhatsApp recipients and SMS opt-outs of the person in one transaction. If one channel cannot change, nothing changes. Channels that you omit do not change.',
  scope: 'people:write',
  params,
  body: ConsentBody,
  status: 200,
  reply: Consent,
  problems: ['not_found', noAddress, unsubscribed],
  example: { body: { email: 'denied', push: 'granted', source: 'preference centre', evidence: { form: 'v3' } } },
  async handle({ params: { user_id }, body, org, actor, db }) {
    const { source, evidence = {}, given_at = new Date().toISOString(), ...decisions } = body
    const person = personOf(org.id, user_id)
    return await db.transaction(async (tx) => {
      const known = await mustFind(readKnowledge(tx, person), 'person')
      await changeConsent(tx, known, decisions, { source, evidence, given_at, actor: actor.name })
      return (await mustFind(readKnowledge(tx, person), 'person')).consent
    })
  },
})

const Change = z
  .object({
    id: Id,
    channel: changes.Channel,
    state: Decision,
    previous_state: z.enum(['granted', 'denied', 'pending', 'none']),
    source: z.string(),
    evidence: z.record(z.string(), z.string()),
    given_at: Instant,
    actor: z.string().describe('Key or member that reported the decision'),
    created_at: Instant,
  })
  .meta({ id: 'people.ConsentChange' })

export const history = listRoute({
  path: '/{user_id}/consent/changes',
  summary: 'List reported changes of consent',
  description: 'Returns the evidence that you reported, newest first. An erasure deletes it.',
  scope: 'people:read',
  params,
  filters: changes.filters,
  query: { channel: changes.Channel.optional() },
  item: Change,
  problems: ['not_found'],
  async rows({ params: { user_id }, org, db }, page) {
    if (!(await isKnown(db, personOf(org.id, user_id)))) throw notFound('person')
    return await changes.list(db, { org_id: org.id, user_id }, page)
  },
  present: ({ org_id: _, user_id: __, ...change }) => change,
})
