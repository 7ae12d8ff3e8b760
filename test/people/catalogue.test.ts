import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { personTables } from '#tasks/people/rules/tables.ts'
import { untouched } from '#tasks/people/rules/untouched.ts'
import { testDatabase } from '../support/database.ts'

const { db } = await testDatabase(t)

/** Names of columns that can have data of a person: whoever adds one declares its table, or says why not. */
const personal =
  /^(user_id|.*_user|.*_user_id|person_id|push_user_id|contact_id|subject|subject_.*|identity|viewer_id|email|.*_emails?|phone|.*_phone|number|wa_id|msisdn|recipients?|sender|written|.*_written|display_name|address|.*_address|addresses|ip|network|.*_network|caller_id|fingerprint|birth.*|first_name|last_name|full_name|.*data|.*payload|contents?|.*body|attributes|.*_head|record|question|request|answer|text|html|reply|note|last_message|audience|variables)$/

const Column = z.object({ table: z.string(), column: z.string() })

const columns = await db.any(sql.type(Column)`
  select n.nspname || '.' || c.relname as table, a.attname as column
  from pg_class as c
  join pg_namespace as n on n.oid = c.relnamespace
  join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where c.relkind in ('r', 'p') and not c.relispartition and n.nspname !~ '^(pg_|information_schema|jobs_)' and a.atttypid in (
    'text'::regtype, 'uuid'::regtype, 'jsonb'::regtype, 'json'::regtype, 'bytea'::regtype, 'text[]'::regtype, 'inet'::regtype)
  order by 1, 2`)

const declared = new Set(personTables.flatMap(({ name, with: dependent = [] }) => [name, ...dependent]))

t.test('each table with a personal column is erased, or the exceptions say why not', async (t) => {
  const missing = columns.filter(
    ({ table, column }) =>
      personal.test(column) &&
      !declared.has(table) &&
      untouched[table] === undefined &&
      untouched[`${table}.${column}`] === undefined,
  )
  t.same(
    missing.map(({ table, column }) => `${table}.${column}`),
    [],
    'declare the table in sql/<area>/person.ts, or add it to tasks/people/rules/untouched.ts with a reason',
  )
})

t.test('no exception and no declaration is about what does not exist', async (t) => {
  const tables = new Set(columns.map(({ table }) => table))
  const named = new Set(columns.map(({ table, column }) => `${table}.${column}`))
  t.same(
    Object.keys(untouched).filter((name) => !tables.has(name) && !named.has(name)),
    [],
  )
  t.same(
    [...declared].filter((name) => !tables.has(name)),
    [],
  )
  t.same(
    [...declared].filter((name) => untouched[name] !== undefined),
    [],
  )
})

t.test('a dependent table of an erased one is deleted with it by the database', async (t) => {
  const Reference = z.object({ child: z.string(), parent: z.string() })
  const references = await db.any(sql.type(Reference)`
    select distinct cn.nspname || '.' || c.relname as child, pn.nspname || '.' || p.relname as parent
    from pg_constraint as f
    join pg_class as c on c.oid = coalesce(pg_partition_root(f.conrelid), f.conrelid)
    join pg_namespace as cn on cn.oid = c.relnamespace
    join pg_class as p on p.oid = f.confrelid join pg_namespace as pn on pn.oid = p.relnamespace
    where f.contype = 'f' and f.confdeltype = 'c'`)
  const known = new Set(references.map(({ child, parent }) => `${child} ${parent}`))
  const byHand = new Set(['email.contents email.messages', 'voice.calls voice.legs'])
  for (const { name, with: dependent = [] } of personTables) {
    for (const child of dependent) {
      const chain = [name, ...dependent].some((parent) => known.has(`${child} ${parent}`))
      t.ok(chain || byHand.has(`${child} ${name}`), `${child} depends on ${name}`)
    }
  }
})
