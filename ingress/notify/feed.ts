import { z } from 'zod'
import { forbidden } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { queryInt } from '#lib/input-types.ts'
import { whereOf } from '#sql/filters.ts'
import * as rows from '#sql/notify/inbox.ts'
import { getPosition } from '#sql/notify/users.ts'
import { readBearerToken } from '../http/bearer-token.ts'
import { writePage } from '../http/lists/write-page.ts'
import { route } from '../http/route.ts'
import { Item, present } from './item.ts'
import { getPersonKey, markItems } from './mark-items.ts'
import { countItems, MarkForm, MarkResult, singleSelectionRule } from './marks.ts'
import { checkPageToken } from './page-token.ts'

/** Settings of all routes for web pages. The page token (`Authorization: Bearer …`) selects the inbox. */
const ofPage = {
  public: true,
  cors: true,
  limit: { perMinute: 600, by: 'ip' },
  status: 200,
} as const

export const list = route({
  ...ofPage,
  method: 'GET',
  path: '/feed',
  summary: 'Read the inbox with a page token',
  description: 'For web pages. Send the token from `POST /v1/notify/stream-tokens` as `Authorization: Bearer …`.',
  query: z.object({
    limit: queryInt(1, 50).default(20),
    cursor: Id.optional().describe('`next_cursor` of the previous page'),
    archived: z
      .enum(['true', 'false'])
      .transform((text) => text === 'true')
      .default(false),
  }),
  reply: z.object({
    data: z.array(Item),
    next_cursor: Id.nullable(),
    unread_count: z.int(),
    unseen_count: z.int(),
    last_event_id: z.string().describe('Event ID from which the stream continues'),
  }),
  problems: ['unauthorized'],
  async handle({ operation, query: { limit, cursor, archived }, header, db, services }) {
    const { org, user, product } = await checkPageToken(readBearerToken(header('authorization'), 'stream'), services)
    const person = getPersonKey(org, user)
    // The position is read before the items, so that the stream contains all changes in between.
    const { last } = await getPosition(db, person)
    const counts = await countItems(db, person, product)
    const where = whereOf(rows.filters, { product_key: product, archived })
    return await writePage<rows.Item>({
      operation,
      limit,
      item: Item,
      read: (after, count) => rows.list(db, person, { where, before: after?.id ?? cursor, limit: count }),
      present: (item) => present(item, user),
      cursorAfter: ({ id }) => id,
      more: () => ({ ...counts, last_event_id: String(last) }),
    })
  },
})

export const mark = route({
  ...ofPage,
  method: 'POST',
  path: '/feed/marks',
  repeatable: true,
  summary: 'Mark inbox items with a page token',
  description: 'For web pages. Requires a token that was created with `marks`.',
  body: z.strictObject(MarkForm).refine(singleSelectionRule.check, singleSelectionRule.params),
  reply: MarkResult,
  problems: ['unauthorized', 'forbidden'],
  async handle({ body: { mark, ...what }, header, db, services }) {
    const { org, user, product, marks } = await checkPageToken(
      readBearerToken(header('authorization'), 'stream'),
      services,
    )
    if (!marks) throw forbidden('This token can only read the inbox. Create one with `marks`.')
    if (product !== undefined && what.product_key !== undefined && what.product_key !== product)
      throw forbidden('This token is for a different product.')
    const person = getPersonKey(org, user)
    const { ids } = what
    const those = ids
      ? { ids: product === undefined ? ids : await rows.filterByProduct(db, person, product, ids) }
      : { productKey: product ?? what.product_key }
    const marked = await markItems(db, person, those, mark)
    return { marked, ...(await countItems(db, person, product)) }
  },
})
