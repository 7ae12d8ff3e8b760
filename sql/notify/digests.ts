import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'
import type { PreferenceKey } from './preferences.ts'

export const table = defineTable(
  'notify',
  'digests',
  z.object({
    id: Id,
    org_id: Id,
    user_id: Id,
    product_key: z.string(),
    type: z.string(),
    due_at: z.date(),
    sent_at: z.date().nullable(),
  }),
  { retention: days('NOTIFY_INBOX_DAYS', 'sent_at') },
)

export const Digest = table.Row

export type Digest = z.infer<typeof Digest>

export const OpenDigest = Digest.omit({ sent_at: true }).extend({ is_new: z.boolean() })

export type OpenDigest = z.infer<typeof OpenDigest>

/**
 * Returns the open window of each preference. If none is open, opens one for `minutes`. The windows are locked until
 * the transaction ends, so that no window is sent while a copy is added.
 */
export async function openMany(
  tx: Db,
  wanted: readonly (PreferenceKey & { minutes: number })[],
): Promise<readonly OpenDigest[]> {
  if (wanted.length === 0) return []
  return await tx.any(sql.type(OpenDigest)`
    insert into notify.digests as d (id, org_id, user_id, product_key, type, due_at)
    select w.id, w.org_id, w.user_id, w.product_key, w.type, now() + make_interval(mins => w.minutes)
    from ${sql.unnest(
      wanted.map(({ org_id, user_id, product_key, type, minutes }) => [
        ...[newId(), org_id, user_id, product_key, type],
        minutes,
      ]),
      ['uuid', 'uuid', 'uuid', 'text', 'text', 'int4'],
    )} as w (id, org_id, user_id, product_key, type, minutes)
    order by w.org_id, w.user_id, w.product_key, w.type
    on conflict (org_id, user_id, product_key, type) where sent_at is null do update set org_id = excluded.org_id
    returning d.id, d.org_id, d.user_id, d.product_key, d.type, d.due_at, d.xmax = 0 as is_new`)
}

export async function lock(tx: Db, id: string): Promise<Digest | null> {
  return await tx.maybeOne(sql.type(Digest)`
    select ${table.columns()} from notify.digests where id = ${id} for update`)
}

export async function end(tx: Db, id: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`update notify.digests set sent_at = now() where id = ${id} and sent_at is null`)
}
