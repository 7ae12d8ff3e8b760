import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { allOf, byKey } from '../by-key.ts'
import { type Db, sql } from '../db.ts'
import { lockTokens } from './device-locks.ts'
import { type Installation, table } from './installations.ts'
import type { Registration } from './registrations.ts'
import * as subscriptions from './subscriptions.ts'
import { addAnonymous, removeAnonymous } from './users.ts'

/**
 * Registers many devices with few statements. Returns the devices in the same order. The results are the same as with
 * `register` for one device after the other. The devices are not streams and replace no token.
 */
export async function registerMany(tx: Db, devices: readonly Registration[]): Promise<readonly Installation[]> {
  if (devices.length === 0) return []
  await lockTokens(tx, devices)
  const registered = new Map<Registration, Installation>()
  for (const round of roundsOf(devices)) {
    const rows = new Map((await registerRound(tx, round)).map((row) => [nameOf(row), row]))
    for (const device of round) registered.set(device, rows.get(nameOf(device)) as Installation)
  }
  return devices.map((device) => registered.get(device) as Installation)
}

const nameOf = ({ app_id, provider, token }: Pick<Installation, 'app_id' | 'provider' | 'token'>): string =>
  `${app_id} ${provider} ${token}`

/** Returns rounds in which each device occurs once. A second registration of a device is in the second round. */
function roundsOf(devices: readonly Registration[]): Registration[][] {
  const rounds: Registration[][] = []
  for (const same of Map.groupBy(devices, nameOf).values()) {
    for (const [i, device] of same.entries()) {
      rounds[i] ??= []
      rounds[i].push(device)
    }
  }
  return rounds
}

async function registerRound(tx: Db, devices: readonly Registration[]): Promise<Installation[]> {
  const known = new Map((await lockKnown(tx, devices)).map((row) => [nameOf(row), row]))
  const owned = devices.map((device) => toOwned(device, known.get(nameOf(device))))
  await addAnonymous(
    tx,
    owned.filter(({ isNewUser }) => isNewUser).map(({ org_id, app_id, owner: id }) => ({ id, org_id, app_id })),
  )
  const moved = owned.flatMap(({ before, former, owner }) =>
    before && former !== undefined ? [{ installation_id: before.id, push_user_id: owner }] : [],
  )
  await subscriptions.moveToUsers(tx, moved)
  const left = owned.flatMap(({ before, leaves }) => (before && leaves ? [before.id] : []))
  await subscriptions.removeForDevices(tx, left)
  const registered = [
    ...(await insert(
      tx,
      owned.filter(({ before }) => !before),
    )),
    ...(await update(
      tx,
      owned.filter(({ before }) => before),
    )),
  ]
  await removeAnonymous(
    tx,
    owned.flatMap(({ former }) => former ?? []),
  )
  return registered
}

const Locked = table.Row.pick({ id: true, app_id: true, provider: true, token: true, push_user_id: true })

type Known = z.infer<typeof Locked> & { is_anonymous: boolean }

/**
 * Returns the known devices, locked until the transaction ends. Their users are read under this lock, because a device
 * may have been claimed before.
 */
async function lockKnown(tx: Db, devices: readonly Registration[]): Promise<readonly Known[]> {
  const names = sql.unnest(
    devices.map(({ app_id, provider, token }) => [app_id, provider, token]),
    ['uuid', 'text', 'text'],
  )
  const locked = await tx.any(sql.type(Locked)`
    select id, app_id, provider, token, push_user_id from push.installations where id = any(array(
      select i.id from ${names} as w (app_id, provider, token) cross join lateral (
        select id from push.installations
        where app_id = w.app_id and provider = w.provider and token = w.token limit 1) as i))
    order by id for no key update`)
  if (locked.length === 0) return []
  const owners = sql.array(
    locked.map(({ push_user_id }) => push_user_id),
    'uuid',
  )
  const anonymous = new Set(
    await tx.anyFirst(sql.type(z.object({ id: Id }))`
      select id from push.users where id = any(${owners}) and user_id is null`),
  )
  return locked.map((device) => ({ ...device, is_anonymous: anonymous.has(device.push_user_id) }))
}

/** A registering device with its new owner. */
type Owned = Registration & {
  before: Known | undefined
  owner: string
  isNewUser: boolean
  /** True if the device leaves a user. */
  leaves: boolean
  /** Anonymous user who was known only by this device. */
  former: string | undefined
}

function toOwned(device: Registration, before: Known | undefined): Owned {
  const { push_user_id } = device
  const stays = before && (push_user_id === null ? before.is_anonymous : before.push_user_id === push_user_id)
  if (stays)
    return { ...device, before, owner: before.push_user_id, isNewUser: false, leaves: false, former: undefined }
  return {
    ...device,
    before,
    owner: push_user_id ?? newId(),
    isNewUser: push_user_id === null,
    leaves: before?.is_anonymous === false,
    former: before?.is_anonymous ? before.push_user_id : undefined,
  }
}

const factsOf = ({ owner, environment, keys, platform, locale }: Owned) => ({
  push_user_id: owner,
  environment,
  keys,
  platform,
  locale,
})

async function insert(tx: Db, devices: readonly Owned[]): Promise<readonly Installation[]> {
  if (devices.length === 0) return []
  const rows = devices.map((device) => {
    const { org_id, app_id, provider, token, tags = [], time_zone = null } = device
    return { id: newId(), org_id, app_id, provider, token, tags: [...tags], time_zone, ...factsOf(device) }
  })
  return await tx.any(sql.type(table.Row)`${table.insertMany(rows)} returning ${table.columns()}`)
}

async function update(tx: Db, devices: readonly Owned[]): Promise<readonly Installation[]> {
  if (devices.length === 0) return []
  const given = devices.map((device) => {
    const { before, leaves, tags = leaves ? [] : null, time_zone } = device
    return { id: before?.id, tags, time_zone, keeps_zone: time_zone === undefined, ...factsOf(device) }
  })
  return await tx.any(sql.type(table.Row)`
    with given as (
      select * from json_to_recordset(${JSON.stringify(given)}::json) as g (id uuid, push_user_id uuid,
        environment text, keys jsonb, platform text, locale text, tags text[], time_zone text, keeps_zone boolean)
    )
    update push.installations as i
    set push_user_id = g.push_user_id, environment = g.environment, keys = g.keys, platform = g.platform,
      locale = g.locale, tags = coalesce(g.tags, i.tags),
      time_zone = case when g.keeps_zone then i.time_zone else g.time_zone end, status = 'active',
      invalidated_reason = null, invalidated_at = null, registered_at = now(), used_at = now()
    from given as g where ${byKey('i.id', 'g.id', allOf('id', 'given'))}
    returning ${table.columns('i')}`)
}
