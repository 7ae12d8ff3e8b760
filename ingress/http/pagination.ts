import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { Call, ParamsOf } from './call.ts'
import { type Route, route } from './route.ts'
import type { RouteFacts } from './route-facts.ts'
import type { Scope } from './scopes.ts'

const PageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20).describe('Items on a page'),
  cursor: z.string().max(200).optional().describe('`next_cursor` of the page before'),
})

/** The rows that a page is made from. */
export interface Page {
  /** The id of the last row of the page before: rows with a smaller one follow. */
  before: string | undefined
  /** One more than the page holds, by which it is seen whether another follows. */
  limit: number
}

interface List<
  Path extends string,
  P extends z.ZodType,
  Filter extends z.ZodRawShape,
  Item extends z.ZodType,
  Row extends { id: string },
> extends Omit<RouteFacts, 'method' | 'status'> {
  path: Path
  params?: P
  scope: Scope | readonly Scope[]
  /** Parameters of the query beside `limit` and `cursor`. */
  filter?: Filter
  item: Item
  /** The rows of a page by falling id; ids are made in the order of time, so the newest come first. */
  rows(call: ListCall<Path, P, Filter>, page: Page): Promise<readonly Row[]>
  /** A row as an item of the reply. */
  present(row: Row, call: ListCall<Path, P, Filter>): z.input<Item>
}

type ListCall<Path extends string, P extends z.ZodType, Filter extends z.ZodRawShape> = Call<
  ParamsOf<Path, P>,
  z.output<typeof PageQuery> & z.output<z.ZodObject<Filter>>,
  undefined,
  false
> & { db: DatabasePool }

/** Declares a route that answers a list page by page: `{ data, next_cursor }`, for the query `limit`, `cursor` and the list's own filter. */
export function listRoute<
  const Path extends string,
  P extends z.ZodType = z.ZodUndefined,
  // biome-ignore lint/complexity/noBannedTypes: a list without a filter.
  Filter extends z.ZodRawShape = {},
  Item extends z.ZodType = z.ZodType,
  Row extends { id: string } = { id: string },
>(declaration: List<Path, P, Filter, Item, Row>): Route {
  const { filter, item, rows, present, ...facts } = declaration
  const reply = z.object({
    data: z.array(item),
    next_cursor: z.string().nullable().describe('Give it as `cursor` for the next page; null on the last one'),
  })
  async function handle(call: ListCall<Path, P, Filter>) {
    const { limit, cursor } = call.query
    const found = await rows(call, { before: idIn(cursor), limit: limit + 1 })
    const shown = found.slice(0, limit)
    const last = found.length > limit ? shown.at(-1) : undefined
    return { data: shown.map((row) => present(row, call)), next_cursor: last ? cursorOf(last) : null }
  }
  const made = { ...facts, method: 'GET', status: 200, query: PageQuery.extend(filter ?? {}), reply, handle }
  return route(made as unknown as Parameters<typeof route>[0])
}

const cursorOf = ({ id }: { id: string }): string => Buffer.from(id).toString('base64url')

/** The id that a cursor stands for; throws 400 for one that no list gave out. */
function idIn(cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined
  const id = Id.safeParse(Buffer.from(cursor, 'base64url').toString())
  if (!id.success) throw badRequest([{ field: 'query.cursor', issue: 'is not a cursor that a list gave out' }])
  return id.data
}
