import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { defineTable } from '../table.ts'
import { ChatChannel } from './connections.ts'

export const Channel = z.enum(['in_app', 'email', 'push', 'whatsapp', 'sms', ...ChatChannel.options])

export type Channel = z.infer<typeof Channel>

/** Type of a preference that applies to all types of its product without their own preference. */
export const anyType = '*'

export const table = defineTable(
  'notify',
  'preferences',
  z.object({
    id: Id,
    org_id: Id,
    user_id: Id,
    product_key: z.string(),
    type: z.string(),
    channels: z.array(Channel),
    digest_minutes: z.number().nullable(),
    updated_at: z.date(),
  }),
)

export const Preference = table.Row

export type Preference = z.infer<typeof Preference>

export type PreferenceKey = Pick<Preference, 'org_id' | 'user_id' | 'product_key' | 'type'>

export async function put(db: Db, preference: Omit<Preference, 'id' | 'updated_at'>): Promise<Preference> {
  const { org_id, user_id, product_key, type, channels, digest_minutes } = preference
  return await db.one(sql.type(Preference)`
    insert into notify.preferences (id, org_id, user_id, product_key, type, channels, digest_minutes)
    values (${newId()}, ${org_id}, ${user_id}, ${product_key}, ${type}, ${sql.array(channels, 'text')}, ${digest_minutes})
    on conflict (org_id, user_id, product_key, type) do update set
      channels = excluded.channels, digest_minutes = excluded.digest_minutes, updated_at = now()
    returning ${table.columns()}`)
}

/** Maximum number of a person’s latest events whose types are offered, and of preferences. */
const [mostEvents, mostPreferences] = [500, 100]

/** A type of a product, with the person’s own preference. `channels` is null without a preference. */
const OfferedType = Preference.pick({ product_key: true, type: true, digest_minutes: true }).extend({
  channels: Preference.shape.channels.nullable(),
})

export type OfferedType = z.infer<typeof OfferedType>

/** Returns the types for which a person has a preference or recently had an event, in the order of their names. */
export async function listOffered(
  db: Db,
  { org_id, user_id }: Pick<PreferenceKey, 'org_id' | 'user_id'>,
): Promise<readonly OfferedType[]> {
  return await db.any(sql.type(OfferedType)`
    with had as (
      select product_key, type from notify.events
      where org_id = ${org_id} and user_id = ${user_id} order by id desc limit ${mostEvents}
    ), own as (
      select product_key, type, channels, digest_minutes from notify.preferences
      where org_id = ${org_id} and user_id = ${user_id}
    )
    select product_key, type, own.channels, own.digest_minutes
    from (select product_key, type from had union select product_key, type from own) as each
    left join own using (product_key, type)
    order by product_key, type = ${anyType}, type limit ${mostPreferences}`)
}

export async function remove(db: Db, { org_id, user_id, product_key, type }: PreferenceKey): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    delete from notify.preferences
    where org_id = ${org_id} and user_id = ${user_id} and product_key = ${product_key} and type = ${type}`)
  return rowCount > 0
}

export const filters = { product_key: table.equals('product_key') }

export async function list(
  db: Db,
  { org_id, user_id }: Pick<PreferenceKey, 'org_id' | 'user_id'>,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly Preference[]> {
  return await db.any(sql.type(Preference)`
    select ${table.columns()} from notify.preferences
    where org_id = ${org_id} and user_id = ${user_id} and ${where} and ${isOlder(before)} order by id desc limit ${limit}`)
}

export async function findMany(db: Db, wanted: readonly PreferenceKey[]): Promise<readonly Preference[]> {
  if (wanted.length === 0) return []
  return await db.any(sql.type(Preference)`
    select distinct on (p.id) ${table.columns('p')} from notify.preferences as p
    join ${sql.unnest(
      wanted.map(({ org_id, user_id, product_key, type }) => [org_id, user_id, product_key, type]),
      ['uuid', 'uuid', 'text', 'text'],
    )} as w (org_id, user_id, product_key, type)
    on p.org_id = w.org_id and p.user_id = w.user_id and p.product_key = w.product_key and p.type in (w.type, ${anyType})`)
}
