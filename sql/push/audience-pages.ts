import type { FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { table } from './installations.ts'
import type { Message } from './messages.ts'
import type { TagRule } from './targets.ts'

/** A device in a page. If the device has no time zone, it has the user’s. */
const Device = table.Row.pick({
  id: true,
  push_user_id: true,
  provider: true,
  environment: true,
  platform: true,
  time_zone: true,
})

export type Device = z.infer<typeof Device>

/** Last device that was found, and its user. */
export interface DevicePosition {
  person: string | null
  device: string | null
}

/** A page of devices, the position after it, and whether it is the last page. */
export interface DevicePage {
  devices: readonly Device[]
  place: DevicePosition
  isLast: boolean
}

/** Lowest and highest possible ID. */
const [first, last] = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff']

/** Number of devices read for one page of a segment, even if few match. */
const looked = 1_000

/** Returns up to `limit` next devices of a message, after the devices that were already found. */
export async function listNextDevices(tx: Db, message: Message, limit: number): Promise<DevicePage> {
  const place = { person: message.cursor_user, device: message.cursor }
  const { app_id, audience, target } = message
  if (target === 'all' || target === 'segment') return await ofApp(tx, message, place, limit)
  const isBehind = (column: string) =>
    place.device === last
      ? sql.fragment`${sql.identifier([column])} > ${place.person ?? first}`
      : sql.fragment`${sql.identifier([column])} >= ${place.person ?? first}`
  const persons =
    target === 'topic'
      ? await tx.anyFirst(sql.type(z.object({ id: Id }))`
          select distinct push_user_id as id from push.subscriptions
          where app_id = ${app_id} and topic = ${audience?.topic ?? ''} and ${isBehind('push_user_id')}
          order by 1 limit ${limit}`)
      : target === 'users'
        ? await tx.anyFirst(sql.type(z.object({ id: Id }))`
          select id from push.users
          where app_id = ${app_id} and user_id = any(${sql.array(audience?.users ?? [], 'text')}) and ${isBehind('id')}
          order by id limit ${limit}`)
        : message.push_user_id === null
          ? []
          : [message.push_user_id]
  const devices = await ofPersons(tx, message, { persons, place, limit })
  const found = devices.at(-1)
  if (devices.length === limit) return { devices, place: placeOf(found), isLast: false }
  const end = persons.at(-1)
  return { devices, place: { person: end ?? null, device: last }, isLast: persons.length < limit }
}

const placeOf = (device: Device | undefined): DevicePosition => ({
  person: device?.push_user_id ?? null,
  device: device?.id ?? null,
})

const columns = (quiet: Message['quiet_hours']): FragmentSqlToken => sql.fragment`
  i.id, i.push_user_id, i.provider, i.environment, i.platform, ${
    quiet
      ? sql.fragment`coalesce(i.time_zone, (select u.time_zone from push.users as u where u.id = i.push_user_id))`
      : sql.fragment`i.time_zone`
  } as time_zone`

/**
 * Returns devices of users in ascending order of user ID and device ID. For a topic, returns only subscribed devices.
 */
async function ofPersons(
  tx: Db,
  { target, audience, quiet_hours }: Message,
  { persons, place, limit }: { persons: readonly string[]; place: DevicePosition; limit: number },
): Promise<readonly Device[]> {
  if (persons.length === 0) return []
  const [person, device] = [place.person ?? first, place.device ?? first]
  const belongs =
    target === 'topic'
      ? sql.fragment`exists (
          select from push.subscriptions as s
          where s.push_user_id = p.id and s.topic || '' = ${audience?.topic ?? ''}
            and (s.installation_id is null or s.installation_id = i.id))`
      : sql.fragment`true`
  return await tx.any(sql.type(Device)`
    select d.* from unnest(${sql.array([...persons], 'uuid')}) as p (id) cross join lateral (
      select ${columns(quiet_hours)} from push.installations as i
      where i.push_user_id = p.id and i.status = 'active' and (p.id > ${person} or i.id > ${device}) and ${belongs}
        and ${acceptsPush}
      order by i.id limit ${limit}) as d
    order by d.push_user_id, d.id limit ${limit}`)
}

/** Returns devices of an app in ascending order of ID: all active devices, or those with the tags. */
async function ofApp(
  tx: Db,
  { app_id, audience, quiet_hours }: Message,
  { device }: DevicePosition,
  limit: number,
): Promise<DevicePage> {
  const seen = await tx.any(sql.type(Device.extend({ fits: z.boolean() }))`
    select ${columns(quiet_hours)}, i.status = 'active' and ${fits(audience?.tags)} and ${acceptsPush} as fits
    from push.installations as i
    where i.app_id = ${app_id} and i.id > ${device ?? first} order by i.id limit ${looked}`)
  const meant = seen.filter(({ fits }) => fits)
  const devices = meant.slice(0, limit)
  const isCut = meant.length > limit
  const end = isCut ? devices.at(-1) : seen.at(-1)
  return { devices, place: { person: null, device: end?.id ?? device }, isLast: !isCut && seen.length < looked }
}

/** Condition: the user of the device has not opted out. */
const acceptsPush = sql.fragment`not exists (
  select from push.users as o where o.id = i.push_user_id and o.opted_out_at is not null)`

const fits = (tags: TagRule | undefined): FragmentSqlToken =>
  tags
    ? sql.fragment`i.tags @> ${sql.array(tags.all, 'text')} and not i.tags && ${sql.array(tags.none, 'text')}
        and (${tags.any.length === 0} or i.tags && ${sql.array(tags.any, 'text')})`
    : sql.fragment`true`
