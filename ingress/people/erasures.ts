import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { UserId } from '#lib/user-id.ts'
import type { Db } from '#sql/db.ts'
import * as objects from '#sql/people/erasure-objects.ts'
import * as tables from '#sql/people/erasure-tables.ts'
import * as rows from '#sql/people/erasures.ts'
import { isKnown } from '#sql/people/keys.ts'
import { erase as eraseTask } from '#tasks/people/erase.ts'
import { requestErasure } from '#tasks/people/rules/request-erasure.ts'
import { findReason } from '#tasks/people/rules/tables.ts'
import { actorOfCall } from '../http/acting.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { params, personOf } from './fields.ts'

const Erasure = z
  .object({
    id: Id,
    user_id: z.string(),
    status: rows.Status,
    reason: z.string().nullable(),
    requested_by: z.string().describe('Name of the key or member'),
    error: z.string().nullable(),
    created_at: Instant,
    started_at: Instant.nullable(),
    finished_at: Instant.nullable(),
  })
  .meta({ id: 'people.Erasure' })

const Receipt = Erasure.extend({
  tables: z
    .array(
      z.object({
        name: z.string().describe('Area and table, such as `email.messages`'),
        action: tables.Action,
        rows: z.int(),
        reason: z.string().nullable().describe('Why rows were kept or anonymised. `null` if they were deleted.'),
        done_at: Instant.nullable(),
      }),
    )
    .describe('Every table of every area, with the number of rows'),
  objects: z.object({
    count: z.int().describe('Stored files of the person'),
    left: z.int().describe('Files whose bytes are not deleted yet'),
    deleted_at: Instant.nullable().describe('When the last bytes were deleted'),
  }),
}).meta({ id: 'people.ErasureReceipt' })

export function present({ org_id: _, passes: __, ...erasure }: rows.Erasure): z.input<typeof Erasure> {
  return erasure
}

export async function presentReceipt(db: Db, erasure: rows.Erasure): Promise<z.input<typeof Receipt>> {
  const { objects: count, left, deleted_at } = await objects.count(db, erasure.id)
  const erased = await tables.list(db, erasure.id)
  return {
    ...present(erasure),
    tables: erased.map(({ name, action, rows, done_at }) => ({
      ...{ name, action, rows, done_at },
      reason: findReason(name, action),
    })),
    objects: { count, left, deleted_at },
  }
}

export const list = listRoute({
  path: '/erasures',
  summary: 'List erasures, newest first',
  description: 'Returns erasures of all people. `user_id` selects those of one person.',
  scope: 'people:read',
  filters: rows.filters,
  query: { user_id: UserId.optional(), status: rows.Status.optional() },
  item: Erasure,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present,
})

export const read = route({
  method: 'GET',
  path: '/erasures/{id}',
  summary: 'Read an erasure and its receipt',
  description: 'Returns each table with the number of rows, and when the stored files were deleted.',
  scope: 'people:read',
  params: z.object({ id: pathId('erasure') }),
  status: 200,
  reply: Receipt,
  problems: ['not_found'],
  async handle({ params: { id }, org, db }) {
    return await presentReceipt(db, await mustFind(rows.find(db, org.id, id), 'erasure'))
  },
})

export const create = route({
  method: 'POST',
  path: '/{user_id}/erase',
  summary: 'Erase a person in all areas',
  description:
    'Deletes or anonymises the rows of all areas in the background. You cannot undo this. While an erasure is open, a repeated call returns it.',
  scope: 'people:write',
  repeatable: true,
  params,
  body: z.strictObject({
    reason: z.string().trim().min(1).max(500).optional().describe('For your records, such as `request of the person`'),
  }),
  enqueues: eraseTask,
  status: 202,
  reply: Erasure,
  problems: ['not_found'],
  example: { body: { reason: 'request of the person' } },
  async handle({ params: { user_id }, body, org, key, actor, requestId, ip, db }) {
    const person = personOf(org.id, user_id)
    return await db.transaction(async (tx) => {
      if (!(await isKnown(tx, person))) throw notFound('person')
      const doer = actorOfCall({ org, key, actor, requestId, ip })
      return present(await requestErasure(tx, doer, person, body.reason ?? null))
    })
  },
})
