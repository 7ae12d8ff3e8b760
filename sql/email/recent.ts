import { z } from 'zod'
import { firstIdAt } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'

const dayMs = 86_400_000

const Recent = z.object({ bounced: z.number(), failed: z.number(), suppressed: z.number() })

/** Counts emails of the last 24 hours that were not delivered. */
export async function countUndelivered(db: Db, orgId: string): Promise<z.infer<typeof Recent>> {
  const since = firstIdAt(new Date(Date.now() - dayMs))
  const of = (status: 'bounced' | 'failed' | 'suppressed') => sql.fragment`
    (select count(*) from email.messages where org_id = ${orgId} and status = ${status} and id >= ${since})`
  return await db.one(sql.type(Recent)`
    select ${of('bounced')} as bounced, ${of('failed')} as failed, ${of('suppressed')} as suppressed`)
}
