import type { z } from 'zod'
import { isOpen } from '../account/closures.ts'
import { type Db, sql } from '../db.ts'
import { table } from './domains.ts'

const Owner = table.Row.pick({ org_id: true, track_opens: true, track_clicks: true })

export type LinkOwner = z.infer<typeof Owner>

/** Returns a domain of any organisation. A token has proven the ID. Null if its organisation is closed. */
export async function findLinkOwner(db: Db, domainId: string): Promise<LinkOwner | null> {
  return await db.maybeOne(sql.type(Owner)`
    select d.org_id, d.track_opens, d.track_clicks from email.domains as d
    where d.id = ${domainId} and ${isOpen('d')}`)
}
