import { z } from 'zod'
import { firstIdAt } from '#lib/ids.ts'
import { type DatabasePool, type Db, sql } from '../db.ts'
import type { Family } from './families.ts'
import { divisionOf, nowOf, type Partition, split } from './list.ts'
import { patiently } from './patiently.ts'

/** Drops the partitions of a family whose rows are all over, but for those that something still needs; returns their names. */
export async function dropOver(db: DatabasePool, family: Family, now?: Date): Promise<readonly string[]> {
  const { over } = await divisionOf(db, family, now ?? (await nowOf(db)))
  const dropped: string[] = []
  for (const partition of over) {
    if (await patiently(db, (tx) => dropOne(tx, family, partition))) dropped.push(partition.name)
  }
  return dropped
}

/** Whether something still needs rows of a partition beyond their time. */
export async function isHeldBack(db: Db, { held }: Family, { from, to }: Partition): Promise<boolean> {
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
 * A partition is dropped where it is attached, as the one that takes the rest forbids `detach concurrently`: the tables are held for
 * the moment in which the catalogue changes; the files go after that.
 */
async function dropOne(tx: Db, family: Family, partition: Partition): Promise<boolean> {
  if (await isHeldBack(tx, family, partition)) return false
  const tables = family.members.map(({ name }) => sql.identifier(split(name)))
  // In the order in which those who write to them do.
  for (const table of tables) {
    await tx.query(sql.typeAlias('void')`lock table only ${table} in access exclusive mode`)
  }
  if (await isHeldBack(tx, family, partition)) return false
  const suffix = partition.name.slice(split(family.members[0].name)[1].length)
  for (const { name } of family.members.toReversed()) {
    await tx.query(sql.typeAlias('void')`drop table if exists ${sql.identifier(split(`${name}${suffix}`))}`)
  }
  return true
}
