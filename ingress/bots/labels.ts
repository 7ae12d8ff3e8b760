import { z } from 'zod'
import { conflict } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import * as rows from '#sql/bots/labels.ts'
import { lockOrgLimit } from '#sql/org-limits.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { line } from './fields.ts'

const tooMany = problem(409, 'too_many_labels', `An organisation can have up to ${rows.maxLabels} labels.`)

const params = z.object({ labelId: pathId('label') })

const Name = line(50)

export const Label = z
  .object({ id: Id, name: z.string(), color: rows.Color, created_at: Instant, updated_at: Instant })
  .meta({ id: 'bots.Label' })

const taken = () => conflict('Another label has this name. Names ignore case.')

export const create = route({
  method: 'POST',
  path: '/conversations/labels',
  summary: 'Create a label',
  description: `Creates a label for conversations of your organisation. An organisation can have up to ${rows.maxLabels} labels.`,
  scope: 'bots:write',
  idempotent: true,
  body: z.strictObject({
    name: Name.describe('Name, 1 to 50 characters. Names ignore case.'),
    color: rows.Color.default('grey').describe('Colour in the inbox. Default: `grey`.'),
  }),
  status: 201,
  reply: Label,
  problems: ['conflict', tooMany],
  example: { body: { name: 'Refund', color: 'orange' } },
  async handle({ body, org, db }) {
    await lockOrgLimit(db, org.id, 'bots.labels')
    if ((await rows.countOf(db, org.id)) >= rows.maxLabels) throw tooMany(tooMany.when)
    const made = await rows.insert(db, { ...body, id: newId(), org_id: org.id })
    if (!made) throw taken()
    return made
  },
})

export const list = listRoute({
  path: '/conversations/labels',
  summary: 'List labels, newest first',
  description: 'Returns the labels of your organisation.',
  scope: 'bots:read',
  item: Label,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present: (row) => row,
})

export const update = route({
  method: 'PATCH',
  path: '/conversations/labels/{labelId}',
  summary: 'Update a label',
  description: 'Changes the given fields. Conversations with the label show the new name and colour.',
  scope: 'bots:write',
  idempotent: true,
  params,
  body: z
    .strictObject({ name: Name.optional(), color: rows.Color.optional() })
    .refine(({ name, color }) => name !== undefined || color !== undefined, 'must have `name` or `color`'),
  status: 200,
  reply: Label,
  problems: ['not_found', 'conflict'],
  async handle({ params: { labelId }, body, org, db }) {
    await lockOrgLimit(db, org.id, 'bots.labels')
    await mustFind(rows.find(db, org.id, labelId), 'label')
    if (body.name !== undefined && (await rows.findNamed(db, org.id, body.name, labelId))) throw taken()
    return await mustFind(rows.update(db, org.id, labelId, body), 'label')
  },
})

export const remove = removeRoute({
  path: '/conversations/labels/{labelId}',
  summary: 'Delete a label',
  description: 'Deletes the label and removes it from all conversations.',
  scope: 'bots:write',
  params,
  what: 'label',
  remove: ({ params: { labelId }, org, db }) => rows.remove(db, org.id, labelId),
})
