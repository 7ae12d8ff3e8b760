import { z } from 'zod'
import { conflict } from '#lib/errors.ts'
import { advisoryLockSpaces } from '../../advisory-locks.ts'
import { type DatabasePool, type Db, sql } from '../../db.ts'
import { type Move, table } from './moves.ts'

/**
 * Runs a move while no other command moves the organisation. Throws 409 if another command moves it. The lock ends with
 * the process.
 */
export async function holdMove<T>(db: DatabasePool, orgId: string, work: () => Promise<T>): Promise<T> {
  return await db.connect(async (connection) => {
    const held = await connection.oneFirst(sql.type(z.object({ held: z.boolean() }))`
      select pg_try_advisory_lock(${advisoryLockSpaces.move}, hashtext(${orgId})) as held`)
    if (!held) throw conflict('Another command is moving this organisation.', 'move_pending')
    try {
      return await work()
    } finally {
      await connection.query(sql.unsafe`select pg_advisory_unlock(${advisoryLockSpaces.move}, hashtext(${orgId}))`)
    }
  })
}

export async function listAbandoned(db: Db): Promise<readonly Move[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns('m')} from account.moves m
    where m.state in ('copying', 'paused', 'switching') and not exists (
      select from pg_locks l
      where l.locktype = 'advisory' and l.database = (select oid from pg_database where datname = current_database())
        and l.classid = ${advisoryLockSpaces.move} and l.objid::bigint = hashtext(m.org_id::text)::bigint & 4294967295)
    order by m.id limit 100`)
}
