import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import type { Segment as SegmentRule } from '#sql/email/contacts/segment-conditions.ts'
import * as rows from '#sql/email/contacts/segments.ts'
import { ContactStatus } from '#sql/email/contacts.ts'
import { zeroCounts } from '#sql/no-counts.ts'
import { Instant } from '../http/instant.ts'
import { CountsOf } from '../http/lists/counts.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { findSizeFault, SegmentShape } from './contacts/segment-fields.ts'
import { Contact, present as presentContact } from './contacts/view.ts'
import { line } from './fields.ts'
import { isSandbox } from './messages/sandbox.ts'

const maxPerOrg = 200

const shown = 10

/** Maximum number of concurrent counts. Each can use a connection for up to its time limit. */
const countingPlaces = { requests: 4, ofOne: 2 }

const params = z.object({ id: pathId('segment') })
const Name = line(200).min(1)
const { match, conditions, groups } = SegmentShape

const tooMany = problem(409, 'too_many_segments', `The organisation already has ${maxPerOrg} segments.`)
const inUse = problem(409, 'segment_in_use', 'A scheduled campaign uses the segment.')

const Segment = z
  .object({
    id: Id,
    name: z.string(),
    match: rows.table.Row.shape.match,
    conditions: rows.table.Row.shape.conditions,
    groups: rows.table.Row.shape.groups,
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: 'email.Segment' })

const Counts = CountsOf(ContactStatus)
  .nullable()
  .describe(
    'Current number of contacts by consent state. Campaigns are sent to `confirmed` contacts. `null` if there are too many to count.',
  )

const SegmentWithCounts = Segment.extend({ contacts: Counts }).meta({ id: 'email.SegmentWithCounts' })

const present = ({ org_id: _, ...segment }: rows.NamedSegment): z.input<typeof Segment> => segment

async function countsOf(...asked: Parameters<typeof rows.count>): Promise<z.input<typeof Counts>> {
  const counts = await rows.count(...asked)
  return counts && { ...zeroCounts(ContactStatus), ...counts }
}

function demandSize(body: Parameters<typeof findSizeFault>[0]): void {
  const fault = findSizeFault(body)
  if (fault) throw badRequest([{ field: 'body.conditions', issue: fault }])
}

export const create = route({
  method: 'POST',
  path: '/segments',
  summary: 'Create a segment of contacts',
  description:
    'Selects contacts by tags, names, addresses, attributes and age. A segment is evaluated when a campaign starts.',
  scope: 'email:manage',
  body: z.strictObject({ name: Name, ...SegmentShape }),
  idempotent: true,
  status: 201,
  reply: Segment,
  problems: [tooMany],
  example: {
    body: {
      name: 'Customers in Tallinn',
      conditions: [
        { field: 'tag', op: 'has', value: 'customer' },
        { field: 'attributes.city', op: 'eq', value: 'Tallinn' },
      ],
    },
  },
  async handle({ body, org, db }) {
    demandSize(body)
    const added = await rows.insert(db, { id: newId(), org_id: org.id, ...body }, maxPerOrg)
    if (!added) throw tooMany(`An organisation can have ${maxPerOrg} segments. Delete one first.`, { max: maxPerOrg })
    return present(added)
  },
})

export const preview = route({
  method: 'POST',
  path: '/segments/preview',
  repeatable: true,
  summary: 'Count the contacts that match conditions',
  description:
    'Returns the number of contacts that match the conditions, and some of these contacts. Nothing is stored.',
  scope: 'email:manage',
  testKeys: 'sandbox',
  limit: { perMinute: 120, by: 'org' },
  atOnce: countingPlaces,
  body: z.strictObject(SegmentShape),
  status: 200,
  reply: z
    .object({
      contacts: Counts,
      some: z.array(Contact).nullable().describe(`Up to ${shown} of the confirmed contacts`),
    })
    .meta({ id: 'email.SegmentPreview' }),
  example: { body: { conditions: [{ field: 'attributes.orders', op: 'gte', value: 3 }] } },
  async handle({ body, org, key, db }) {
    demandSize(body)
    const found = await rows.listSome(db, org.id, body, shown, isSandbox(key))
    return { contacts: await countsOf(db, org.id, body, isSandbox(key)), some: found?.map(presentContact) ?? null }
  },
})

export const list = listRoute({
  path: '/segments',
  summary: 'List segments, newest first',
  description: 'Returns saved conditions that select contacts. You can use a segment as the audience of a campaign.',
  scope: 'email:manage',
  testKeys: 'shared',
  item: Segment,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present,
})

export const read = route({
  method: 'GET',
  path: '/segments/{id}',
  summary: 'Read a segment and count its contacts',
  description: 'Returns the conditions and the current number of contacts that match them.',
  scope: 'email:manage',
  testKeys: 'shared',
  limit: { perMinute: 120, by: 'org' },
  atOnce: countingPlaces,
  params,
  status: 200,
  reply: SegmentWithCounts,
  problems: ['not_found'],
  async handle({ params, org, key, db }) {
    const segment = await mustFind(rows.find(db, org.id, params.id), 'segment')
    return { ...present(segment), contacts: await countsOf(db, org.id, ruleOf(segment), isSandbox(key)) }
  },
})

const ruleOf = ({ match, conditions, groups }: rows.NamedSegment): SegmentRule => ({ match, conditions, groups })

export const update = route({
  method: 'PATCH',
  path: '/segments/{id}',
  summary: 'Update a segment',
  description: 'Omitted fields keep their values. Campaigns that have started keep their recipients.',
  scope: 'email:manage',
  params,
  body: z
    .strictObject({
      name: Name,
      match: match.unwrap(),
      conditions: conditions.unwrap(),
      groups: groups.unwrap(),
    })
    .partial()
    .refine((body) => Object.values(body).some((value) => value !== undefined), {
      error: 'must contain at least one field to change',
    }),
  status: 200,
  reply: Segment,
  problems: ['not_found'],
  async handle({ params, body, org, db }) {
    return await db.transaction(async (tx) => {
      const changed = await mustFind(rows.update(tx, org.id, params.id, body), 'segment')
      demandSize(changed)
      return present(changed)
    })
  },
})

export const remove = removeRoute({
  path: '/segments/{id}',
  summary: 'Delete a segment',
  description: 'The contacts in the segment are not deleted.',
  scope: 'email:manage',
  params,
  problems: [inUse],
  what: 'segment',
  remove: async ({ params: { id }, org, db }) => {
    if (await rows.remove(db, org.id, id)) return
    await mustFind(rows.find(db, org.id, id), 'segment')
    throw inUse(
      'A scheduled campaign uses this segment. Select a different segment for the campaign, or cancel the campaign.',
    )
  },
})
