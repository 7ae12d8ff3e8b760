import { readdir } from 'node:fs/promises'
import t from 'tap'
import { z } from 'zod'
import * as orgs from '#sql/account/orgs.ts'
import * as plans from '#sql/account/plans.ts'
import { sql } from '#sql/db.ts'
import { columnsOf, defineTable, type Table } from '#sql/table.ts'
import { testDatabase } from '../support/database.ts'

const { db } = await testDatabase(t)

const Column = z.object({ name: z.string(), nullable: z.boolean() })

/** Every table that a file of an area declares, by its path. */
async function declared(): Promise<[string, Table<z.ZodObject>][]> {
  const folder = new URL('../../sql/', import.meta.url)
  const paths = (await readdir(folder, { recursive: true })).filter((path) => /^[a-z]+\/[^/]+\.ts$/.test(path)).sort()
  const modules = await Promise.all(
    paths.map(async (path) => [path, await import(new URL(path, folder).href)] as const),
  )
  return modules.flatMap(([path, { table }]) => (table ? [[path, table]] : []))
}

t.test('each declared column is in the database, and may be null where it says so and nowhere else', async (t) => {
  const tables = await declared()
  t.ok(tables.length >= 15, `${tables.length} tables`)
  for (const [path, table] of tables) {
    const columns = await db.any(sql.type(Column)`
      select attname as name, not attnotnull as nullable from pg_attribute
      where attrelid = ${table.name.sql}::regclass and attnum > 0 and not attisdropped`)
    const actual = new Map(columns.map(({ name, nullable }) => [name, nullable]))
    for (const [name, column] of Object.entries<z.ZodType>(table.Row.shape)) {
      t.equal(actual.get(name), column.safeParse(null).success, `${path}: ${name}`)
    }
    await db.query(sql.type(table.Row)`select ${table.columns('row')} from ${table.name} as row limit 1`)
  }
})

t.test('an insert sets what it is given, as the column’s type; many rows go in at once, none too', async (t) => {
  await db.query(sql.unsafe`create schema probe`)
  await db.query(sql.unsafe`
    create table probe.things (id integer primary key, at timestamptz, words text[], more jsonb, made integer default 7)`)
  const table = defineTable(
    'probe',
    'things',
    z.object({
      id: z.number(),
      at: z.date().nullable(),
      words: z.array(z.string()).nullable(),
      more: z.unknown(),
      made: z.number().nullable(),
    }),
  )
  const at = new Date('2030-01-02T03:04:05.678Z')
  const one = { id: 1, at, words: sql.array(['a', 'b'], 'text'), more: [{ a: null }], made: undefined }
  t.same(await db.one(sql.type(table.Row)`${table.insert(one)} returning ${table.columns()}`), {
    id: 1,
    at,
    words: ['a', 'b'],
    more: [{ a: null }],
    made: 7,
  })
  const rows = [
    { id: 2, at: at.toISOString(), words: ['c'], more: { deep: [1] } },
    { id: 3, at: null, words: null, more: null },
  ]
  await db.query(sql.typeAlias('void')`${table.insertMany(rows)}`)
  await db.query(sql.typeAlias('void')`${table.insertMany([])}`)
  t.same(
    await db.any(
      sql.type(table.Row)`select ${columnsOf(table.Row, 't')} from probe.things as t where id > 1 order by id`,
    ),
    [
      { id: 2, at, words: ['c'], more: { deep: [1] }, made: 7 },
      { id: 3, at: null, words: null, more: null, made: 7 },
    ],
  )
  const now = { id: 4, at: sql.fragment`clock_timestamp()` }
  t.match(await db.one(sql.type(table.Row)`${table.insert(now)} returning ${table.columns()}`), { at: Date })
  t.throws(() => table.insert({ id: 5, colour: 'red' } as never), /probe\.things has no declared column colour/)
})

t.test(
  'plan free begins with the declared numbers, and a plan that is replaced keeps each number in its column',
  async (t) => {
    const initial = Object.fromEntries(plans.limitNames.map((name) => [name, plans.limits[name].initial]))
    const free = (await plans.list(db)).find(({ name }) => name === 'free')
    t.same(free, { name: 'free', ...initial })
    const numbered = Object.fromEntries(plans.limitNames.map((name, i) => [name, i + 1])) as Omit<plans.Plan, 'name'>
    await plans.put(db, { name: 'free', ...numbered })
    t.same((await plans.list(db))[0], { name: 'free', ...numbered })
    t.match(await orgs.insert(db, { name: 'one', plan: 'free' }), { name: 'one', plan: 'free' })
  },
)
