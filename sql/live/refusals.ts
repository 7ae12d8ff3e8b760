import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

export const Reason = z.enum([
  'key_rotated',
  'key_in_use',
  'standby',
  'closed',
  'plan_full',
  'elsewhere',
  'silent',
  'no_key_frame',
  'unsupported_codecs',
  'port_taken',
])

export type Reason = z.infer<typeof Reason>

export const table = defineTable(
  'live',
  'refusals',
  z.object({
    channel_id: Id,
    source: z.enum(['primary', 'backup', 'srt']),
    reason: Reason,
    refused_at: z.date(),
  }),
)

export type Refusal = z.infer<typeof table.Row>

const columns = table.columns()

const recent = sql.fragment`clock_timestamp() - interval '1 second'`

/**
 * Replaces the last refusal of a channel. Does nothing within a second of the previous refusal, because encoders retry
 * often. A `standby` refusal does not replace the reason for which an encoder was dropped.
 */
export async function note(
  db: Db,
  { channel_id, source, reason }: Pick<Refusal, 'channel_id' | 'source' | 'reason'>,
): Promise<void> {
  const lasts = reason === 'standby' ? sql.fragment`true` : sql.fragment`r.reason <> 'standby'`
  // Also checked before the statement, because a conflict locks the row, which is a write.
  await db.query(sql.typeAlias('void')`
    insert into live.refusals as r (channel_id, source, reason)
    select id, ${source}, ${reason} from live.channels
    where id = ${channel_id} and deleted_at is null
      and not exists (select from live.refusals as r where channel_id = ${channel_id} and refused_at > ${recent} and ${lasts})
    on conflict (channel_id) do update
      set source = excluded.source, reason = excluded.reason, refused_at = excluded.refused_at
      where r.refused_at <= ${recent} or not (${lasts})`)
}

export async function find(db: Db, channelId: string): Promise<Refusal | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from live.refusals where channel_id = ${channelId}`)
}

const RefusalView = table.Row.extend({ name: z.string(), org: z.string() })

export type RefusalView = z.infer<typeof RefusalView>

export async function listLast(db: Db, limit: number): Promise<readonly RefusalView[]> {
  return await db.any(sql.type(RefusalView)`
    select ${table.columns('r')}, c.name, o.name as org
    from live.refusals as r
    join live.channels as c on c.id = r.channel_id join account.orgs as o on o.id = c.org_id
    where c.deleted_at is null order by r.refused_at desc limit ${limit}`)
}
