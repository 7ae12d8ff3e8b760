import { z } from 'zod'
import { UserId } from '#lib/user-id.ts'
import * as rows from '#sql/notify/inbox.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { ProductKey } from './fields.ts'
import { Item, present } from './item.ts'
import { getPersonKey, markItems } from './mark-items.ts'

const flag = z.enum(['true', 'false']).transform((text) => text === 'true')

export const list = listRoute({
  path: '/inbox',
  summary: 'List a person’s inbox, newest first',
  description: 'Returns the in-app notifications of the person given by `user_id`.',
  scope: 'notify:read',
  filters: rows.filters,
  otherParams: ['user_id'],
  query: {
    user_id: UserId,
    product_key: ProductKey.optional(),
    unread: flag.optional().describe('`true`: only unread items. `false`: only read items.'),
    unseen: flag.optional().describe('`true`: only unseen items. `false`: only seen items.'),
    archived: flag
      .default(false)
      .describe('`true`: only archived items. `false` (default): only items that are not archived.'),
  },
  item: Item,
  rows: ({ query: { user_id }, org, db }, page) => rows.list(db, getPersonKey(org.id, user_id), page),
  present: (item, { query }) => present(item, query.user_id),
})

const UnreadCount = z.object({ user_id: z.string(), unread_count: z.int() })

export const unreadCount = route({
  method: 'GET',
  path: '/unread-count',
  summary: 'Count unread items',
  description: 'Returns the number of unread items of the person, in total and by product.',
  scope: 'notify:read',
  query: z.object({ user_id: UserId, product_key: ProductKey.optional() }),
  status: 200,
  reply: UnreadCount.extend({ by_product: z.record(z.string(), z.int()) }),
  async handle({ query: { user_id, product_key }, org, db }) {
    const person = getPersonKey(org.id, user_id)
    const counts = [...(await rows.countUnread(db, person))]
    const asked = counts.filter(([product]) => product_key === undefined || product === product_key)
    return { user_id, unread_count: sumOf(asked), by_product: Object.fromEntries(asked) }
  },
})

const sumOf = (counts: readonly (readonly [string, number])[]) => counts.reduce((sum, [, count]) => sum + count, 0)

export const read = route({
  method: 'POST',
  path: '/inbox/{id}/read',
  repeatable: true,
  summary: 'Mark an item as read',
  description: 'Sets `read_at` if the item is unread. A repeated call changes nothing.',
  scope: 'notify:write',
  params: z.object({ id: pathId('item') }),
  body: z.strictObject({ user_id: UserId }),
  status: 200,
  reply: Item,
  problems: ['not_found'],
  async handle({ params, body, org, db }) {
    const person = getPersonKey(org.id, body.user_id)
    const before = await mustFind(rows.find(db, person, params.id), 'item')
    if (before.read_at === null) await markItems(db, person, { ids: [params.id] }, 'read')
    return present(await mustFind(rows.find(db, person, params.id), 'item'), body.user_id)
  },
})

export const readAll = route({
  method: 'POST',
  path: '/inbox/read-all',
  repeatable: true,
  summary: 'Mark all items as read',
  description: 'Marks every unread item of the person as read. Set `product_key` to limit the call to one product.',
  scope: 'notify:write',
  body: z.strictObject({ user_id: UserId, product_key: ProductKey.optional() }),
  status: 200,
  reply: UnreadCount.extend({ marked: z.int().describe('Number of items that were unread') }),
  async handle({ body: { user_id, product_key }, org, db }) {
    const person = getPersonKey(org.id, user_id)
    const marked = await markItems(db, person, { productKey: product_key }, 'read')
    return { user_id, marked, unread_count: sumOf([...(await rows.countUnread(db, person))]) }
  },
})
