import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { isOpen } from '../account/closures.ts'
import { type Db, sql } from '../db.ts'
import type { Part } from '../filters.ts'
import { defineTable } from '../table.ts'

export const Kind = z.enum(['whatsapp', 'email'])

export const table = defineTable(
  'bots',
  'channels',
  z.object({
    id: Id,
    org_id: Id,
    bot_id: Id,
    kind: Kind,
    number_id: Id.nullable(),
    route_id: Id.nullable(),
    from_email: z.string().nullable(),
    from_name: z.string().nullable(),
    silence_hours: z.number(),
    hourly_limit: z.number(),
    unreadable_reply: z.string(),
    handover_reply: z.string().nullable(),
    paused_at: z.date().nullable(),
    created_at: z.date(),
    updated_at: z.date(),
  }),
)

export type Channel = z.infer<typeof table.Row>

export type ChannelSettings = Pick<
  Channel,
  'from_email' | 'from_name' | 'silence_hours' | 'hourly_limit' | 'unreadable_reply' | 'handover_reply'
>

export type ChannelChanges = { [Name in keyof ChannelSettings]?: ChannelSettings[Name] | undefined }

/** A channel with its address: phone number or email address. `null` if the number or the route no longer exists. */
const Addressed = table.Row.extend({
  connected: z.boolean(),
  address: z.string().nullable(),
  /** True if the route’s address belongs to a domain of the organisation, so that replies can be sent from it. */
  can_send: z.boolean(),
})

export type AddressedChannel = z.infer<typeof Addressed>

const addressed = sql.fragment`
  select ${table.columns('c')}, coalesce(n.id, r.id) is not null as connected,
    coalesce(n.display_phone, n.phone_number_id, coalesce(r.local_part, '*') || '@' || r.host) as address,
    coalesce(n.id is not null or r.domain_id is not null, false) as can_send
  from bots.channels as c
  left join whatsapp.business_numbers as n on n.id = c.number_id and n.org_id = c.org_id and n.state = 'connected'
  left join email.inbound_routes as r on r.id = c.route_id and r.org_id = c.org_id`

/** Adds a channel. Returns `null` if the number or the route already has one. */
export async function insert(
  tx: Db,
  channel: ChannelSettings & Pick<Channel, 'id' | 'org_id' | 'bot_id' | 'kind' | 'number_id' | 'route_id'>,
): Promise<string | null> {
  return await tx.maybeOneFirst(sql.type(table.Row.pick({ id: true }))`
    ${table.insert(channel)} on conflict do nothing returning id`)
}

export async function countOfBot(db: Db, botId: string): Promise<number> {
  return await db.oneFirst(sql.typeAlias('count')`select count(*) from bots.channels where bot_id = ${botId}`)
}

export async function find(db: Db, botId: string, id: string): Promise<AddressedChannel | null> {
  return await db.maybeOne(sql.type(Addressed)`${addressed} where c.id = ${id} and c.bot_id = ${botId}`)
}

/** Returns channels of any bot. */
export async function findMany(db: Db, ids: readonly string[]): Promise<readonly AddressedChannel[]> {
  if (ids.length === 0) return []
  return await db.any(sql.type(Addressed)`${addressed} where c.id = any(${sql.array([...ids], 'uuid')})`)
}

export async function list(db: Db, botId: string, { before, limit }: Part): Promise<readonly AddressedChannel[]> {
  return await db.any(sql.type(Addressed)`
    ${addressed} where c.bot_id = ${botId} and (${before ?? null}::uuid is null or c.id < ${before ?? null})
    order by c.id desc limit ${limit}`)
}

export async function update(tx: Db, botId: string, id: string, settings: ChannelChanges): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update bots.channels set ${table.set(settings)}, updated_at = now() where id = ${id} and bot_id = ${botId}`)
  return rowCount === 1
}

export async function setPaused(tx: Db, botId: string, id: string, paused: boolean): Promise<boolean> {
  const at = paused ? sql.fragment`coalesce(paused_at, now())` : sql.fragment`null`
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update bots.channels set paused_at = ${at}, updated_at = now() where id = ${id} and bot_id = ${botId}`)
  return rowCount === 1
}

export async function remove(tx: Db, botId: string, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    delete from bots.channels where id = ${id} and bot_id = ${botId}`)
  return rowCount === 1
}

const Active = table.Row.pick({ id: true, org_id: true })

export type ActiveChannel = z.infer<typeof Active>

/** Returns the channel of a number or a route. `null` if there is none, it is paused, or the organisation is closed. */
export async function findActive(
  db: Db,
  by: { numberId: string } | { routeId: string },
): Promise<ActiveChannel | null> {
  const which = 'numberId' in by ? sql.fragment`number_id = ${by.numberId}` : sql.fragment`route_id = ${by.routeId}`
  return await db.maybeOne(sql.type(Active)`
    select id, org_id from bots.channels as c where ${which} and paused_at is null and ${isOpen('c')}`)
}

/** True if a bot of any organisation sends email from the address. Its domain must still be verified. */
export async function isSender(db: Db, email: string): Promise<boolean> {
  const at = email.lastIndexOf('@')
  const [local, host] = [email.slice(0, at), email.slice(at + 1)]
  return await db.exists(sql.type(table.Row.pick({ id: true }))`
    select c.id from bots.channels as c
    join email.domains as d on d.org_id = c.org_id and d.domain = ${host} and d.status = 'verified'
    where c.from_email = ${email}
    union all
    select c.id from email.inbound_routes as r join bots.channels as c on c.route_id = r.id
    left join email.domains as d on d.id = r.domain_id
    where r.host = ${host} and (r.local_part is null or r.local_part = ${local})
      and (r.domain_id is null or d.status = 'verified')
    limit 1`)
}
