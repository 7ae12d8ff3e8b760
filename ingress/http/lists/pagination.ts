import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { queryInt } from '#lib/input-types.ts'
import type { DatabasePool } from '#sql/db.ts'
import { type Filters, type FilterValues, type Page, whereOf } from '#sql/filters.ts'
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

/** Schemas of the query: each belongs to a condition in `filters`, or is named in `otherParams`. */
type Schemas<Query, F extends Filters, Other> = {
  [Name in keyof Query]: Name extends keyof F
    ? z.ZodType<Parameters<F[Name]>[0] | undefined>
    : Name extends Other
      ? z.ZodType
      : never
}

/** Conditions of the list: each has a schema in `query`. */
type Conditions<F extends Filters, Query> = { [Name in keyof F]: Name extends keyof Query ? F[Name] : never }

interface List<
  Path extends string,
  P extends z.ZodType,
  Query extends z.ZodRawShape,
  F extends Filters,
  Other extends string,
  Item extends z.ZodType,
  Row,
  Key,
> extends Omit<RouteFacts, 'method' | 'status'> {
  path: Path
  params?: P
  scope: Scope | readonly Scope[]
  query?: Query & Schemas<Query, F, Other>
  /** Conditions of the list by query parameter, from the module of its table. `page.where` applies the requested ones. */
  filters?: F & Conditions<F, Query>
  /** Query parameters that are not filters. `rows` reads them from `query`. */
  otherParams?: readonly Other[]
  item: Item
  rows(call: ListCall<Path, P, Query>, page: Page<F, Key>): Promise<readonly Row[]>
  /** Converts a row to an item. Returns undefined if the row was deleted in the meantime. */
  present(row: Row, call: ListCall<Path, P, Query>): z.input<Item> | undefined
}

interface Order<Row, Key> {
  key: z.ZodType<Key>
  keyOf(row: Row): Key
}

type ListCall<Path extends string, P extends z.ZodType, Query extends z.ZodRawShape> = Call<
  ParamsOf<Path, P>,
  z.output<typeof PageQuery> & z.output<z.ZodObject<Query>>,
  undefined,
  false
> & { db: DatabasePool }

/**
 * Declares a route that returns a list in pages, `{ data, next_cursor }`. Its query parameters are `limit`, `cursor`
 * and the parameters in `query`. Items are sorted by descending ID. IDs are ordered by time, so the newest items come
 * first.
 */
export function listRoute<
  const Path extends string,
  P extends z.ZodType = z.ZodUndefined,
  // biome-ignore lint/complexity/noBannedTypes: a list without parameters.
  Query extends z.ZodRawShape = {},
  // biome-ignore lint/complexity/noBannedTypes: a list without filters.
  F extends Filters = {},
  Other extends string = never,
  Item extends z.ZodType = z.ZodType,
  Row extends { id: string } = { id: string },
>(declaration: List<Path, P, Query, F, Other, Item, Row, string>): Route {
  return orderedListRoute<Path, P, Query, F, Other, Item, Row, string>({
    ...declaration,
    key: Id,
    keyOf: ({ id }) => id,
  })
}

export function orderedListRoute<
  const Path extends string,
  P extends z.ZodType = z.ZodUndefined,
  // biome-ignore lint/complexity/noBannedTypes: a list without parameters.
  Query extends z.ZodRawShape = {},
  // biome-ignore lint/complexity/noBannedTypes: a list without filters.
  F extends Filters = {},
  Other extends string = never,
  Item extends z.ZodType = z.ZodType,
  Row = unknown,
  Key = unknown,
>(declaration: List<Path, P, Query, F, Other, Item, Row, Key> & Order<Row, Key>): Route {
  const { query, filters, otherParams: _, item, rows, present, key, keyOf, ...facts } = declaration
  const reply = z.object({
    data: z.array(item),
    next_cursor: z.string().nullable().describe('Value of `cursor` for the next page. `null` on the last page.'),
  })
  async function handle(call: ListCall<Path, P, Query>) {
    const { limit } = call.query
    const before = decodeCursor(key, call)
    const values: object = call.query
    const where = whereOf((filters ?? {}) as F, values as FilterValues<F>)
    return await writePage<Row>({
      operation: call.operation,
      limit,
      item,
      read: (last, count) => rows(call, { where, before: last === undefined ? before : keyOf(last), limit: count }),
      present: (row) => present(row, call),
      cursorAfter: (row) => encodeCursor(call, keyOf(row)),
    })
  }
  const made = { ...facts, method: 'GET', status: 200, query: PageQuery.extend(query ?? {}), reply, handle }
  return route(made as unknown as Parameters<typeof route>[0])
}
