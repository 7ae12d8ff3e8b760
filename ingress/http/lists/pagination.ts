import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { queryInt } from '#lib/input-types.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { Scope } from '#tasks/account/rules/scopes.ts'
import type { Call, ParamsOf } from '../call.ts'
import { type Route, route } from '../route.ts'
import type { RouteFacts } from '../route-facts.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'
import { writePage } from './write-page.ts'

const PageQuery = z.object({
  limit: queryInt(1, 100)
    .default(20)
    .describe('Maximum number of items per page. Pages with large items can have fewer.'),
  cursor: z.string().max(200).optional().describe('`next_cursor` of the previous page with the same filter'),
})

export interface Page<Key = string> {
  before: Key | undefined
  limit: number
}

interface List<Path extends string, P extends z.ZodType, Filter extends z.ZodRawShape, Item extends z.ZodType, Row, Key>
  extends Omit<RouteFacts, 'method' | 'status'> {
  path: Path
  params?: P
  scope: Scope | readonly Scope[]
  filter?: Filter
  item: Item
  rows(call: ListCall<Path, P, Filter>, page: Page<Key>): Promise<readonly Row[]>
  /** Converts a row to an item. Returns undefined if the row was deleted in the meantime. */
  present(row: Row, call: ListCall<Path, P, Filter>): z.input<Item> | undefined
}

interface Order<Row, Key> {
  key: z.ZodType<Key>
  keyOf(row: Row): Key
}

type ListCall<Path extends string, P extends z.ZodType, Filter extends z.ZodRawShape> = Call<
  ParamsOf<Path, P>,
  z.output<typeof PageQuery> & z.output<z.ZodObject<Filter>>,
  undefined,
  false
> & { db: DatabasePool }

/**
 * Declares a route that returns a list in pages, `{ data, next_cursor }`. Its query parameters are `limit`, `cursor`
 * and the list’s filter. Items are sorted by descending ID. IDs are ordered by time, so the newest items come first.
 */
export function listRoute<
  const Path extends string,
  P extends z.ZodType = z.ZodUndefined,
  // biome-ignore lint/complexity/noBannedTypes: a list without a filter.
  Filter extends z.ZodRawShape = {},
  Item extends z.ZodType = z.ZodType,
  Row extends { id: string } = { id: string },
>(declaration: List<Path, P, Filter, Item, Row, string>): Route {
  return orderedListRoute<Path, P, Filter, Item, Row, string>({ ...declaration, key: Id, keyOf: ({ id }) => id })
}

export function orderedListRoute<
  const Path extends string,
  P extends z.ZodType = z.ZodUndefined,
  // biome-ignore lint/complexity/noBannedTypes: a list without a filter.
  Filter extends z.ZodRawShape = {},
  Item extends z.ZodType = z.ZodType,
  Row = unknown,
  Key = unknown,
>(declaration: List<Path, P, Filter, Item, Row, Key> & Order<Row, Key>): Route {
  const { filter, item, rows, present, key, keyOf, ...facts } = declaration
  const reply = z.object({
    data: z.array(item),
    next_cursor: z.string().nullable().describe('Value of `cursor` for the next page. `null` on the last page.'),
  })
  async function handle(call: ListCall<Path, P, Filter>) {
    const { limit } = call.query
    const before = decodeCursor(key, call)
    return await writePage<Row>({
      operation: call.operation,
      limit,
      item,
      read: (last, count) => rows(call, { before: last === undefined ? before : keyOf(last), limit: count }),
      present: (row) => present(row, call),
      cursorAfter: (row) => encodeCursor(call, keyOf(row)),
    })
  }
  const made = { ...facts, method: 'GET', status: 200, query: PageQuery.extend(filter ?? {}), reply, handle }
  return route(made as unknown as Parameters<typeof route>[0])
}
