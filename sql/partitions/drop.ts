import { z } from 'zod'
import { firstIdAt } from '#lib/ids.ts'
import { type DatabasePool, type Db, sql } from '../db.ts'
import type { Family } from './families.ts'
import { getDatabaseTime, getDivision, type Partition, split } from './list.ts'
import { withShortLockWait } from './patiently.ts'

/** Drops partitions whose rows have all expired and are no longer needed. Returns their names. */
export async function dropExpired(db: DatabasePool, family: Family, now?: Date): Promise<readonly string[]> {
  const { over } = await getDivision(db, family, now ?? (await getDatabaseTime(db)))
  const dropped: string[] = []
  for (const partition of over) {
    if (await withShortLockWait(db, (tx) => dropOne(tx, family, partition))) dropped.push(partition.name)
  }
  return dropped
}

export async function isStillNeeded(db: Db, { held }: Family, { from, to }: Partition): Promise<boolean> {
  if (!held) return false
  return await db.exists(
    sql.type(z.object({}))`${held(
      (id) => sql.fragment`
      ${from === null ? sql.fragment`true` : sql.fragment`${id} >= ${firstIdAt(from)}`}
      and ${to === null ? sql.fragment`true` : sql.fragment`${id} < ${firstIdAt(to)}`}`,
    )}`,
  )
}

/**
 * Drops a partition while it is attached, because the rest partition prevents `detach concurrently`. The tables are
 * locked only while the catalogue changes. The files are deleted later.
 */
async function dropOne(tx: Db, family: Family, partition: Partition): Promise<boolean> {
  if (await isStillNeeded(tx, family, partition)) return false
  const tables = family.members.map(({ name }) => sql.identifier(split(name)))
  // In the order in which writers lock the tables.
  for (const table of tables) {
    await tx.query(sql.typeAlias('void')`lock table only ${table} in access exclusive mode`)
  }
  if (await isStillNeeded(tx, family, partition)) return false
  const suffix = partition.name.slice(split(family.members[0].name)[1].length)
  for (const { name } of family.members.toReversed()) {
    await tx.query(sql.typeAlias('void')`drop table if exists ${sql.identifier(split(`${name}${suffix}`))}`)
  }
  return true
}
