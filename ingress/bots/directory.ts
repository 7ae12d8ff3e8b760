import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { queryInt } from '#lib/input-types.ts'
import * as rows from '#sql/bots/directory.ts'
import { cursorOf, placeIn } from '../http/cursor.ts'
import { route } from '../http/route.ts'
import { PublicBot, presentPublic } from './present.ts'

const Place = z.tuple([z.int(), Id])

/** Published bots of all organisations. */
export const list = route({
  method: 'GET',
  path: '/directory',
  summary: 'List published bots',
  description:
    '`popular`: by the conversations of the last 30 days, counted by the hour; `recent`: last published first.',
  scope: 'bots:read',
  search: true,
  query: z.object({
    q: z.string().trim().max(200).optional().describe('Part of the name, tagline or description'),
    category: z.string().max(40).optional(),
    language: z.string().max(35).optional(),
    sort: rows.Sort.default('popular'),
    limit: queryInt(1, 100).default(20).describe('Items on a page'),
    cursor: z.string().max(200).optional().describe('`next_cursor` of the page before, of the same filter and `sort`'),
  }),
  status: 200,
  reply: z.object({ data: z.array(PublicBot), next_cursor: z.string().nullable() }),
  async handle(call) {
    const { q, cursor: _, limit, ...wanted } = call.query
    const { db } = call
    const place = placeIn(Place, call)
    const after = place && { place: place[0], id: place[1] }
    const found = await rows.list(db, { ...wanted, q: q || undefined, after, limit: limit + 1 })
    const shown = found.slice(0, limit)
    const last = found.length > limit ? shown.at(-1) : undefined
    return {
      data: shown.map(presentPublic),
      next_cursor: last ? cursorOf(call, [last.place, last.id]) : null,
    }
  },
})
