import { globSync, readFileSync } from 'node:fs'
import t from 'tap'
import { z } from 'zod'
import { everything, whereOf } from '#sql/filters.ts'
import { listRoute } from '../../ingress/http/lists/pagination.ts'
import { defineTable } from '../../sql/table.ts'

const root = new URL('../../', import.meta.url)

const table = defineTable('things', 'things', z.object({ id: z.string(), kind: z.string(), size: z.number() }))

const filters = { kind: table.equals('kind'), size: table.equals('size', 't') }

const declared = {
  path: '/things',
  summary: 'List things',
  scope: 'files:write',
  item: z.object({ id: z.string() }),
  rows: async () => [],
  present: (row: { id: string }) => row,
} as const

const schemas = { kind: z.string().optional(), size: z.coerce.number().optional() }

t.test('the given filters become conditions, and no filter excludes nothing', async (t) => {
  const { sql, values } = whereOf(filters, { kind: 'odd', size: 3 })
  t.equal(sql, '("kind" = $slonik_1 and "t"."size" = $slonik_2)')
  t.same(values, ['odd', 3])
  t.equal(whereOf(filters, { kind: undefined }), everything)
})

t.test('the query of a list is its filters and the other parameters that it names', async (t) => {
  const { query } = listRoute({
    ...declared,
    filters,
    otherParams: ['sort'],
    query: { ...schemas, sort: z.enum(['old', 'new']).default('new') },
  })
  t.same(Object.keys(query?.shape ?? {}), ['limit', 'cursor', 'kind', 'size', 'sort'])
})

t.test('the compiler rejects a parameter without a condition, and a condition without a parameter', async (t) => {
  // @ts-expect-error: no query applies `colour`.
  listRoute({ ...declared, filters, query: { ...schemas, colour: z.string().optional() } })
  // @ts-expect-error: a list without filters ignores `kind`.
  listRoute({ ...declared, query: { kind: z.string().optional() } })
  // @ts-expect-error: `size` has a condition, but no parameter.
  listRoute({ ...declared, filters, query: { kind: z.string().optional() } })
  // @ts-expect-error: the condition compares a number.
  listRoute({ ...declared, filters, query: { ...schemas, size: z.string().optional() } })
  // @ts-expect-error: the table has no such column.
  table.equals('colour')
  // @ts-expect-error: `colour` is not a filter.
  whereOf(filters, { colour: 'red' })
  t.pass('checked by tsc')
})

// The compiler rejects an unused local variable, so a query that takes `where` also applies it.
t.test('every query of a list with filters takes their condition', async (t) => {
  const queries = globSync('sql/**/*.ts', { cwd: root }).flatMap((path) => {
    const source = readFileSync(new URL(path, root), 'utf8')
    return [...source.matchAll(/(\{[^{}]*\}|\w+): Page<typeof/g)].map(([, names = '']) => ({ path, names }))
  })
  t.ok(queries.length > 30, `${queries.length} queries`)
  for (const { path, names } of queries) t.match(names, /^\{ where,/, path)
})
