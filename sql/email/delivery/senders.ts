import { z } from 'zod'
import { type Db, sql } from '../../db.ts'
import { type EmailDomain, keyTable, table } from '../domains.ts'

const Key = keyTable.Row.pick({ id: true, selector: true, algorithm: true, private_key: true, published: true })

export type Sender = Pick<EmailDomain, 'domain' | 'return_path' | 'verified_by' | 'checks'> & {
  keys: readonly z.infer<typeof Key>[]
}

export async function findSender(db: Db, domainId: string): Promise<Sender | null> {
  const Row = table.Row.pick({ domain: true, return_path: true, verified_by: true, checks: true }).extend({
    keys: z.array(Key),
  })
  return await db.maybeOne(sql.type(Row)`
    select d.domain, d.return_path, d.verified_by, d.checks, coalesce((
      select json_agg(json_build_object('id', k.id, 'selector', k.selector, 'algorithm', k.algorithm,
        'private_key', k.private_key, 'published', k.published) order by k.algorithm desc, k.created_at)
      from email.dkim_keys as k where k.domain_id = d.id), '[]') as keys
    from email.domains as d where d.id = ${domainId}`)
}
