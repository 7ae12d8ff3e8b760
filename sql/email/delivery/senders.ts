import { z } from 'zod'
import { type Db, sql } from '../../db.ts'
import { getColumns } from '../../table.ts'
import { keyTable, table } from '../domains.ts'

const Key = keyTable.Row.pick({ id: true, selector: true, algorithm: true, private_key: true, published: true })

const Settings = table.Row.pick({
  ...{ domain: true, return_path: true, verified_by: true, checks: true },
  ...{ track_opens: true, track_clicks: true, tracking_host: true },
})

export type Sender = z.infer<typeof Settings> & {
  keys: readonly z.infer<typeof Key>[]
  /** False while the host of tracked links is not proven or has no certificate. */
  tracking_ready: boolean
}

export async function findSender(db: Db, domainId: string): Promise<Sender | null> {
  const Row = Settings.extend({ keys: z.array(Key), tracking_ready: z.boolean() })
  return await db.maybeOne(sql.type(Row)`
    select ${getColumns(Settings, 'd')}, d.tracking_host is null or exists (
        select from video.domains as v join video.certificates as c on c.domain_id = v.id
        where v.org_id = d.org_id and v.hostname = d.tracking_host and v.purpose = 'links' and v.verified_at is not null
          and c.not_after > now()) as tracking_ready, coalesce((
      select json_agg(json_build_object('id', k.id, 'selector', k.selector, 'algorithm', k.algorithm,
        'private_key', k.private_key, 'published', k.published) order by k.algorithm desc, k.created_at)
      from email.dkim_keys as k where k.domain_id = d.id), '[]') as keys
    from email.domains as d where d.id = ${domainId}`)
}
