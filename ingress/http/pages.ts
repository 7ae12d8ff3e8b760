import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'

/** The query of a list: extend it with the list's own filters. */
export const PageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20).describe('Items on a page'),
  cursor: z.string().max(200).optional().describe('`next_cursor` of the page before'),
})

/** The reply of a list of `item`s. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    data: z.array(item),
    next_cursor: z.string().nullable().describe('Give it as `cursor` for the next page; null on the last one'),
  })
}

/** A page that is being asked for: `after` is the last id of the page before. */
export interface Page {
  limit: number
  after: string | null
}

/** Reads the page that a list's query asks for; throws 400 for a cursor that no list gave out. */
export function pageFrom(query: z.output<typeof PageQuery>): Page {
  if (query.cursor === undefined) return { limit: query.limit, after: null }
  const id = Id.safeParse(Buffer.from(query.cursor, 'base64url').toString())
  if (!id.success) throw badRequest([{ field: 'query.cursor', issue: 'is not a cursor that a list gave out' }])
  return { limit: query.limit, after: id.data }
}

/**
 * The reply of a list from rows by falling id, one more than the page holds, by which it sees whether another follows. Ids
 * are made in the order of time, so the newest come first.
 */
export function toPage<Row extends { id: string }>(
  { limit }: Page,
  rows: readonly Row[],
): { data: Row[]; next_cursor: string | null } {
  const data = rows.slice(0, limit)
  const last = rows.length > limit ? data.at(-1) : undefined
  return { data, next_cursor: last ? Buffer.from(last.id).toString('base64url') : null }
}
