import { z } from 'zod'
import { firstIdAt } from '#lib/ids.ts'
import { advisoryLockSpaces } from '../advisory-locks.ts'
import { type DatabasePool, type Db, sql } from '../db.ts'
import { getRetentionMs } from '../retention.ts'
import { type Family, getRetention, type Member } from './families.ts'
import { getDatabaseTime, getDivision, list, split } from './list.ts'
import { withShortLockWait } from './patiently.ts'
import { getAheadEnd, getNextPeriodStart } from './periods.ts'

/** Maximum number of rows that are moved out of the rest partition. More rows would lock it too long, so they stay. */
const mostMoved = 50_000

/**
 * Creates the missing partitions up to two periods ahead and returns their starts. If processes run at the same time,
 * each partition is created once. A partition is skipped if too many of its rows are in the rest partition.
 */
export async function createAhead(db: DatabasePool, family: Family, now?: Date): Promise<readonly Date[]> {
  const at = now ?? (await getDatabaseTime(db))
  const { period, end } = await getDivision(db, family, at)
  const made: Date[] = []
  if (end === null) return made
  // After a long downtime, partitions that would already have expired are not created.
  const oldest = getNextPeriodStart(period, new Date(at.getTime() - getRetentionMs(getRetention(family))))
  for (
    let from = new Date(Math.max(end.getTime(), oldest.getTime()));
    from < getAheadEnd(period, at);
    from = getNextPeriodStart(period, from)
  ) {
    const outcome = await withShortLockWait(db, (tx) => makeOne(tx, family, from, getNextPeriodStart(period, from)))
    // Another process is creating them.
    if (outcome === 'made elsewhere') return made
    if (outcome === 'made') made.push(from)
  }
  return made
}

type Outcome = 'made' | 'made elsewhere' | 'left out'

/**
 * Creates one partition of each member outside the tables in use, and attaches it in the same transaction. Rows in the
 * rest partition are moved to the new partition.
 */
async function makeOne(tx: Db, { members }: Family, from: Date, to: Date): Promise<Outcome> {
  const Mine = z.object({ mine: z.boolean() })
  const [{ name }] = members
  const mine = await tx.oneFirst(sql.type(Mine)`
    select pg_try_advisory_xact_lock(${advisoryLockSpaces.partitions}, hashtext(${name})) as mine`)
  if (!mine) return 'made elsewhere'
  const there = await list(tx, name)
  if (there.some((one) => one.to !== null && one.to > from)) return 'made elsewhere'
  const bounds = { from: firstIdAt(from), to: firstIdAt(to) }
  const parts = members.map((member) => partOf(member, from))
  if (!(await fewLieElsewhere(tx, parts, bounds))) return 'left out'
  for (const part of parts) await create(tx, part)
  await moveRest(tx, parts, bounds)
  const [first, ...others] = parts as [Part, ...Part[]]
  for (const { partition, key } of others) {
    await tx.query(sql.typeAlias('void')`
      alter table ${partition} add foreign key (${sql.identifier([key])}) references ${first.partition} (${sql.identifier([first.key])})
      on delete cascade`)
  }
  for (const { table, partition } of parts) {
    await tx.query(sql.unsafe`
      alter table ${table} attach partition ${partition}
      for values from (${sql.literalValue(bounds.from)}) to (${sql.literalValue(bounds.to)})`)
  }
  return 'made'
}

type Part = ReturnType<typeof partOf>

const tableOf = (label: string) => sql.fragment`${sql.identifier(split(label))}`

function partOf({ name, key }: Member, from: Date) {
  const [area, table] = split(name)
  const partition = `${table}_${from.toISOString().slice(0, 10).replaceAll('-', '')}`
  return {
    name,
    key,
    table: tableOf(name),
    rest: tableOf(`${name}_default`),
    partition: tableOf(`${area}.${partition}`),
  }
}

const Options = z.object({ options: z.string().nullable(), keyed: z.boolean() })

/**
 * Creates a table like the parent table, with the options of its siblings. Adds a primary key if the parent table has
 * none.
 */
async function create(tx: Db, { name, table, partition }: Part): Promise<void> {
  const { options, keyed } = await tx.one(sql.type(Options)`
    select (select array_to_string(reloptions, ', ') from pg_class where oid = to_regclass(${`${name}_default`})) as options,
      exists (select from pg_constraint where conrelid = to_regclass(${name}) and contype = 'p') as keyed`)
  await tx.query(sql.typeAlias('void')`create table ${partition} (like ${table} including all)`)
  if (!keyed) await tx.query(sql.typeAlias('void')`alter table ${partition} add primary key (id)`)
  for (const option of options?.split(', ') ?? []) {
    const [setting, value] = option.split('=') as [string, string]
    await tx.query(sql.unsafe`alter table ${partition} set (${sql.identifier([setting])} = ${sql.literalValue(value)})`)
  }
}

interface Bounds {
  from: string
  to: string
}

const within = ({ key }: Part, { from, to }: Bounds) => sql.fragment`
  ${sql.identifier([key])} >= ${from} and ${sql.identifier([key])} < ${to}`

/** True if the rows in the rest partitions can be moved. The rest partitions are locked from then on. */
async function fewLieElsewhere(tx: Db, parts: readonly Part[], bounds: Bounds): Promise<boolean> {
  for (const { rest } of parts) {
    await tx.query(sql.typeAlias('void')`lock table ${rest} in access exclusive mode`)
  }
  for (const part of parts) {
    const count = await tx.oneFirst(sql.typeAlias('count')`
      select count(*) from (select from ${part.rest} where ${within(part, bounds)} limit ${mostMoved + 1}) as counted`)
    if (count > mostMoved) return false
  }
  return true
}

async function moveRest(tx: Db, parts: readonly Part[], bounds: Bounds): Promise<void> {
  for (const part of parts) {
    await tx.query(sql.typeAlias('void')`
      insert into ${part.partition} select * from ${part.rest} where ${within(part, bounds)}`)
  }
  for (const part of parts.toReversed()) {
    await tx.query(sql.typeAlias('void')`delete from ${part.rest} where ${within(part, bounds)}`)
  }
}
