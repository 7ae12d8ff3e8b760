import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../../db.ts'
import { keyTable } from '../domains.ts'

export const PublishedKey = keyTable.Row.pick({ algorithm: true, public_key: true }).extend({ org_id: Id })

/** Returns the public keys of a selector of any organisation, newest first. */
export async function find(db: Db, domain: string, selector: string) {
  return await db.any(sql.type(PublishedKey)`
    select k.algorithm, k.public_key, k.org_id from email.dkim_keys as k join email.domains as d on d.id = k.domain_id
    where d.domain = ${domain} and k.selector = ${selector} order by k.created_at desc limit 10`)
}
