import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Part } from '../filters.ts'
import { defineTable, getColumns } from '../table.ts'

export const table = defineTable(
  'live',
  'chat_people',
  z.object({
    id: Id,
    org_id: Id,
    channel_id: Id,
    identity: z.string(),
    name: z.string(),
    banned_at: z.date().nullable(),
    banned_until: z.date().nullable(),
    ban_reason: z.string().nullable(),
    banned_by: z.string().nullable(),
    last_message_at: z.date().nullable(),
    burst_at: z.date().nullable(),
    burst: z.number(),
    created_at: z.date(),
  }),
)

export type ChatPerson = z.infer<typeof table.Row>

/** Rate limit of a person: number of messages, and period in seconds. */
const [mostInBurst, burstSeconds] = [5, 10]

const columns = table.columns()

const isBanned = sql.fragment`(p.banned_at is not null and (p.banned_until is null or p.banned_until > now()))`

/** Returns the person of a channel with this identity. Creates the person, or changes the name. */
export async function put(
  tx: Db,
  { org_id, channel_id, identity, name }: Pick<ChatPerson, 'org_id' | 'channel_id' | 'identity' | 'name'>,
): Promise<ChatPerson> {
  const row = { id: newId(), org_id, channel_id, identity, name }
  return await tx.one(sql.type(table.Row)`
    ${table.insert(row)} on conflict (channel_id, identity) do update set name = excluded.name returning ${columns}`)
}

export async function find(db: Db, channelId: string, id: string): Promise<ChatPerson | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from live.chat_people where id = ${id} and channel_id = ${channelId}`)
}

export async function isBannedNow(db: Db, id: string): Promise<boolean> {
  return await db.exists(sql.typeAlias('count')`
    select 1 as count from live.chat_people as p where p.id = ${id} and ${isBanned}`)
}

/** Bans a person. Null if the person is unknown. */
export async function ban(
  tx: Db,
  channelId: string,
  id: string,
  { until, reason, by }: { until: Date | null; reason: string | null; by: string },
): Promise<ChatPerson | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    update live.chat_people
    set banned_at = now(), banned_until = ${until?.toISOString() ?? null}, ban_reason = ${reason}, banned_by = ${by}
    where id = ${id} and channel_id = ${channelId} returning ${columns}`)
}

/** Removes a ban. Returns false if the person is not banned. */
export async function unban(tx: Db, channelId: string, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update live.chat_people set banned_at = null, banned_until = null, ban_reason = null, banned_by = null
    where id = ${id} and channel_id = ${channelId} and banned_at is not null`)
  return rowCount === 1
}

export async function listBanned(db: Db, channelId: string, { before, limit }: Part): Promise<readonly ChatPerson[]> {
  return await db.any(sql.type(table.Row)`
    select ${getColumns(table.Row, 'p')} from live.chat_people as p
    where p.channel_id = ${channelId} and ${isBanned} and ${isOlder(before, ['p', 'id'])}
    order by p.id desc limit ${limit}`)
}

const Refused = z.object({ is_banned: z.boolean(), slow_wait: z.number(), burst_wait: z.number() })

export type WriteRefusal = z.infer<typeof Refused>

/**
 * Counts a message of a person. Returns undefined if the person can write it now, otherwise why not and for how many
 * seconds. The row is locked, so that concurrent messages of the person are counted one after the other.
 */
export async function takeTurn(tx: Db, id: string, slowSeconds: number): Promise<WriteRefusal | undefined> {
  const refused = await tx.one(sql.type(Refused)`
    select ${isBanned} as is_banned,
      greatest(0, ceil(coalesce(extract(epoch from p.last_message_at + make_interval(secs => ${slowSeconds}) - clock_timestamp()), 0)))::integer as slow_wait,
      case when p.burst >= ${mostInBurst}
        then greatest(0, ceil(extract(epoch from p.burst_at + make_interval(secs => ${burstSeconds}) - clock_timestamp())))::integer
        else 0 end as burst_wait
    from live.chat_people as p where p.id = ${id} for update`)
  if (refused.is_banned || refused.slow_wait > 0 || refused.burst_wait > 0) return refused
  const isOver = sql.fragment`(burst_at is null or burst_at < clock_timestamp() - make_interval(secs => ${burstSeconds}))`
  await tx.query(sql.typeAlias('void')`
    update live.chat_people set last_message_at = clock_timestamp(),
      burst = case when ${isOver} then 1 else burst + 1 end,
      burst_at = case when ${isOver} then clock_timestamp() else burst_at end
    where id = ${id}`)
  return undefined
}
