import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { queryInt } from '#lib/input-types.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { Scope } from '#tasks/account/rules/scopes.ts'
import type { Call, ParamsOf } from '../call.ts'
import { type Route, route } from '../route.ts'
import type { RouteFacts } from '../route-facts.ts'
import { cursorOf, placeIn } from './cursor.ts'
import { writePage } from './write-page.ts'

const PageQuery = z.object({
  limit: queryInt(1, 100).default(20).describe('Items on a page; a page of large items may have fewer'),
  cursor: z.string().max(200).optional().describe('`next_cursor` of the page before, of the same filter'),
})

/** The rows that a page is made from. */
export interface Page<Key = string> {
  /** The key of the last row before: rows behind it follow. */
  before: Key | undefined
  /** Rows to read: fewer mean that no more follow. A page is read in several parts. */
  limit: number
}

interface List<Path extends string, P extends z.ZodType, Filter extends z.ZodRawShape, Item extends z.ZodType, Row, Key>
  extends Omit<RouteFacts, 'method' | 'status'> {
  path: Path
  params?: P
  scope: Scope | readonly Scope[]
  /** Parameters of the query beside `limit` and `cursor`. */
  filter?: Filter
  item: Item
  /** The rows of a page in the list's order. */
  rows(call: ListCall<Path, P, Filter>, page: Page<Key>): Promise<readonly Row[]>
  /** A row as an item of the reply; nothing for one that was gone before all of it was read. */
  present(row: Row, call: ListCall<Path, P, Filter>): z.input<Item> | undefined
}

interface Order<Row, Key> {
  /** What of a row decides its place in the list, and no other row has. */
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
 * Declares a route that answers a list page by page, `{ data, next_cursor }`, for the query `limit`, `cursor` and the list's own
 * filter: by falling id, and ids are made in the order of time, so the newest come first.
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

/** Declares the same in another order than that of ids. */
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
    next_cursor: z.string().nullable().describe('Give it as `cursor` for the next page; null on the last one'),
  })
  async function handle(call: ListCall<Path, P, Filter>) {
    const { limit } = call.query
    const before = placeIn(key, call)
    return await writePage<Row>({
      operation: call.operation,
      limit,
      item,
      read: (last, count) => rows(call, { before: last === undefined ? before : keyOf(last), limit: count }),
      present: (row) => present(row, call),
      cursorAfter: (row) => cursorOf(call, keyOf(row)),
    })
  }
  const made = { ...facts, method: 'GET', status: 200, query: PageQuery.extend(filter ?? {}), reply, handle }
  return route(made as unknown as Parameters<typeof route>[0])
}
