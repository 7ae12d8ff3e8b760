import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

/** Why a publisher is not broadcast. */
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

/** The parsed column. */
export type Reason = z.infer<typeof Reason>

/** The last refusal of each channel. */
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

/** A publisher that was refused, dropped or kept waiting. */
export type Refusal = z.infer<typeof table.Row>

const columns = table.columns()

const recent = sql.fragment`clock_timestamp() - interval '1 second'`

/**
 * Notes a refusal in place of the channel's last; nothing within a second of that, however often an encoder tries. That an encoder waits is no
 * reason to leave out why it, or another one, is dropped.
 */
export async function note(
  db: Db,
  { channel_id, source, reason }: Pick<Refusal, 'channel_id' | 'source' | 'reason'>,
): Promise<void> {
  const lasts = reason === 'standby' ? sql.fragment`true` : sql.fragment`r.reason <> 'standby'`
  // Looked for beforehand, too: a conflict locks the row, which is a write.
  await db.query(sql.typeAlias('void')`
    insert into live.refusals as r (channel_id, source, reason)
    select id, ${source}, ${reason} from live.channels
    where id = ${channel_id} and deleted_at is null
      and not exists (select from live.refusals as r where channel_id = ${channel_id} and refused_at > ${recent} and ${lasts})
    on conflict (channel_id) do update
      set source = excluded.source, reason = excluded.reason, refused_at = excluded.refused_at
      where r.refused_at <= ${recent} or not (${lasts})`)
}

/** The last refusal of a channel; null when there was none. */
export async function find(db: Db, channelId: string): Promise<Refusal | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from live.refusals where channel_id = ${channelId}`)
}

const RefusalView = table.Row.extend({ name: z.string(), org: z.string() })

/** A refusal with the names of its channel and organisation. */
export type RefusalView = z.infer<typeof RefusalView>

/** The channels of any organisation with the latest refusals. */
export async function listLast(db: Db, limit: number): Promise<readonly RefusalView[]> {
  return await db.any(sql.type(RefusalView)`
    select ${table.columns('r')}, c.name, o.name as org
    from live.refusals as r
    join live.channels as c on c.id = r.channel_id join account.orgs as o on o.id = c.org_id
    where c.deleted_at is null order by r.refused_at desc limit ${limit}`)
}
