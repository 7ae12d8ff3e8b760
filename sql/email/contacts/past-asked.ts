import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../../db.ts'
import { days } from '../../retention.ts'
import { defineTable } from '../../table.ts'

/** Number of days after which a contact can be asked again. */
export const askAgainDays = 30

/** Deleted contacts that were asked to confirm. `contacts.remove` adds the rows. */
export const table = defineTable(
  'email',
  'past_asked',
  z.object({ org_id: Id, email: z.string(), asked_at: z.date() }),
  { retention: days(askAgainDays, 'asked_at') },
)

/**
 * Restores when new contacts were previously asked. This is a separate statement, because the insert may have waited
 * for the deletion.
 */
export async function restoreAskedAt(tx: Db, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await tx.query(sql.typeAlias('void')`
    update email.contacts as c set asked_at = p.asked_at
    from ${table.name} as p
    where p.org_id = c.org_id and p.email = c.email and c.asked_at is null and c.id = any(${sql.array([...ids], 'uuid')})`)
}
