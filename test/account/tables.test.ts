import { readdir, readFile } from 'node:fs/promises'
import t from 'tap'
import { z } from 'zod'
import * as orgs from '#sql/account/orgs.ts'
import * as plans from '#sql/account/plans.ts'
import { sql } from '#sql/db.ts'
import { findFamily } from '#sql/partitions/families.ts'
import { tablesWithRetention } from '#sql/retained.ts'
import { defineTable, getColumns, getTableLabel, type Table } from '#sql/table.ts'
import { testDatabase } from '../support/database.ts'

const { db } = await testDatabase(t)

const Column = z.object({ name: z.string(), nullable: z.boolean() })

const folder = new URL('../../sql/', import.meta.url)

/** Every table that a file of an area declares, by its path and the export's name. */
async function declared(): Promise<[string, Table<z.ZodObject>][]> {
  const paths = (await readdir(folder, { recursive: true })).filter((path) => /^[a-z]+\/.+\.ts$/.test(path)).sort()
  const modules = await Promise.all(
    paths.map(async (path) => [path, await import(new URL(path, folder).href)] as const),
  )
  const found = modules.flatMap(([path, module]) =>
    Object.entries(module).flatMap(([name, value]) => (isTable(value) ? [[`${path} ${name}`, value] as const] : [])),
  )
  return [...new Map(found.map(([path, table]) => [table, [path, table]])).values()] as [string, Table<z.ZodObject>][]
}

const isTable = (value: unknown): value is Table<z.ZodObject> =>
  typeof value === 'object' && value !== null && 'insertMany' in value && 'retentions' in value

const tables = await declared()

t.test('every declaration is exported: none escapes these tests', async (t) => {
  const paths = (await readdir(folder, { recursive: true })).filter((path) => /^[a-z]+\/.+\.ts$/.test(path))
  const sources = await Promise.all(paths.map((path) => readFile(new URL(path, folder), 'utf8')))
  const count = sources.reduce((sum, source) => sum + source.split(' = defineTable(').length - 1, 0)
  t.equal(tables.length, count)
  t.ok(count > 120, `${count} tables`)
})

t.test(
  'what is kept for a time is known to the task that prunes, and is a plain table, or its partitions are',
  async (t) => {
    const kept = tables.filter(([, { retentions }]) => retentions.length > 0)
    t.same(new Set(tablesWithRetention), new Set(kept.map(([, table]) => table)))
    t.equal(new Set(tablesWithRetention).size, tablesWithRetention.length)
    for (const [path, { name }] of kept) {
      const kind = sql.type(
        z.object({ relkind: z.string() }),
      )`select relkind from pg_class where oid = ${name.sql}::regclass`
      const partitioned = findFamily(getTableLabel({ name }))?.members.some(
        (member) => member.name === getTableLabel({ name }),
      )
      t.equal(await db.oneFirst(kind), partitioned ? 'p' : 'r', path)
    }
  },
)

const Check = z.object({ column: z.string(), definition: z.string() })

/** The values of a check `column in (…)`; null for one that says something else. */
function listOf({ column, definition }: z.infer<typeof Check>): string[] | null {
  const list = /^CHECK \(\((\w+) = ANY \(ARRAY\[(.*)\]\)\)\)( NOT VALID)?$/.exec(definition)
  if (list?.[1] !== column) return null
  return [...(list[2] ?? '').matchAll(/'((?:[^']|'')*)'::text/g)].map(([, value]) => value as string).sort()
}

/** The values that a column's schema takes, but for null; null when they are no list. */
function valuesOf(column: z.ZodType): string[] | null {
  const { anyOf, ...schema } = z.toJSONSchema(column, { unrepresentable: 'any' })
  const given = (anyOf ?? [schema]).filter(({ type }: { type?: unknown }) => type !== 'null') as {
    enum?: string[]
    const?: string
  }[]
  const values = given.flatMap((each) => each.enum ?? (each.const === undefined ? [] : [each.const]))
  return values.length > 0 ? values.sort() : null
}

t.test('each list of values that a check allows is that of the column’s schema', async (t) => {
  let lists = 0
  for (const [path, table] of tables) {
    const checks = await db.any(sql.type(Check)`
      select a.attname as column, pg_get_constraintdef(c.oid) as definition from pg_constraint as c
      join pg_attribute as a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
      where c.conrelid = ${table.name.sql}::regclass and c.contype = 'c'`)
    for (const check of checks) {
      const list = listOf(check)
      const column = (table.Row.shape as Record<string, z.ZodType>)[check.column]
      if (!list || !column) continue
      lists++
      t.same(valuesOf(column), list, `${path}: ${check.column}`)
    }
  }
  t.ok(lists > 85, `${lists} lists`)
})

t.test('each declared column is in the database, and may be null where it says so and nowhere else', async (t) => {
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
      sql.type(table.Row)`select ${getColumns(table.Row, 't')} from probe.things as t where id > 1 order by id`,
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
