import { z } from 'zod'
import { firstIdAt } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'

const Recent = z.object({ bounced: z.number(), failed: z.number(), suppressed: z.number() })

/** Counts emails accepted since a time that were not delivered, without test messages. */
export async function countUndelivered(db: Db, orgId: string, since: Date): Promise<z.infer<typeof Recent>> {
  const first = firstIdAt(since)
  const of = (status: 'bounced' | 'failed' | 'suppressed') => sql.fragment`
    (select count(*) from email.messages where org_id = ${orgId} and status = ${status} and id >= ${first} and not sandbox)`
  return await db.one(sql.type(Recent)`
    select ${of('bounced')} as bounced, ${of('failed')} as failed, ${of('suppressed')} as suppressed`)
}
