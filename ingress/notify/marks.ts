import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { UserId } from '#lib/user-id.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as rows from '#sql/notify/inbox.ts'
import { Mark } from '#sql/notify/inbox-marks.ts'
import type { Person } from '#sql/notify/users.ts'
import { route } from '../http/route.ts'
import { ProductKey } from './fields.ts'
import { getPersonKey, markItems } from './mark-items.ts'

/** A mark and the items that it is for: named items, all items of a product, or all items of the inbox. */
export const MarkForm = {
  mark: z
    .enum(['read', ...Mark.options])
    .describe('`unread` undoes `read`, and `unarchived` undoes `archived`. Read items are also seen.'),
  ids: z
    .array(Id)
    .min(1)
    .max(100)
    .optional()
    .describe('IDs of items, up to 100. Omit it to mark all items of the inbox or product.'),
  product_key: ProductKey.optional(),
}

/** Items are selected either by IDs or by product, not both. */
export const singleSelectionRule = {
  check: ({ ids, product_key }: { ids?: unknown; product_key?: unknown }) =>
    ids === undefined || product_key === undefined,
  params: { path: ['product_key'], error: 'cannot be used together with `ids`' },
}

export const toSelection = ({
  ids,
  product_key,
}: {
  ids?: readonly string[] | undefined
  product_key?: string | undefined
}): rows.InboxSelection => (ids ? { ids } : { productKey: product_key })

export const MarkResult = z.object({
  marked: z.int().describe('Number of items that changed'),
  unread_count: z.int(),
  unseen_count: z.int(),
})

export async function countItems(db: DatabasePool, person: Person, productKey?: string) {
  const sumOf = (counts: ReadonlyMap<string, number>) =>
    [...counts]
      .filter(([product]) => productKey === undefined || product === productKey)
      .reduce((sum, [, count]) => sum + count, 0)
  return {
    unread_count: sumOf(await rows.countUnread(db, person)),
    unseen_count: sumOf(await rows.countUnseen(db, person)),
  }
}

export const counts = route({
  method: 'GET',
  path: '/inbox/counts',
  summary: 'Count unread and unseen items',
  description: 'Returns the number of unread items and the number of unseen items.',
  scope: 'notify:read',
  query: z.object({ user_id: UserId, product_key: ProductKey.optional() }),
  status: 200,
  reply: MarkResult.omit({ marked: true }),
  async handle({ query: { user_id, product_key }, org, db }) {
    return await countItems(db, getPersonKey(org.id, user_id), product_key)
  },
})

export const create = route({
  method: 'POST',
  path: '/inbox/marks',
  repeatable: true,
  summary: 'Mark items as read, seen or archived',
  description: 'Items of other people and items that are not in an inbox are ignored.',
  scope: 'notify:write',
  body: z.strictObject({ user_id: UserId, ...MarkForm }).refine(singleSelectionRule.check, singleSelectionRule.params),
  status: 200,
  reply: MarkResult,
  example: { body: { user_id: '5f0c8a52-7f0e-4c5b-9f0a-0f9d3c1b2a10', mark: 'seen' } },
  async handle({ body: { user_id, mark, ...what }, org, db }) {
    const person = getPersonKey(org.id, user_id)
    const marked = await markItems(db, person, toSelection(what), mark)
    return { marked, ...(await countItems(db, person)) }
  },
})
