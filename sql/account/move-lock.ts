import { z } from 'zod'
import { conflict } from '#lib/errors.ts'
import { lockSpaces } from '../advisory-locks.ts'
import { type DatabasePool, sql } from '../db.ts'

/** Does a move's work while no other command is at the same organisation; throws 409 when one is. The hold ends with the process. */
export async function holdMove<T>(db: DatabasePool, orgId: string, work: () => Promise<T>): Promise<T> {
  return await db.connect(async (connection) => {
    const held = await connection.oneFirst(sql.type(z.object({ held: z.boolean() }))`
      select pg_try_advisory_lock(${lockSpaces.move}, hashtext(${orgId})) as held`)
    if (!held) throw conflict('Another command moves this organisation now.', 'move_pending')
    try {
      return await work()
    } finally {
      await connection.query(sql.unsafe`select pg_advisory_unlock(${lockSpaces.move}, hashtext(${orgId}))`)
    }
  })
}
