import type { FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { lockTokens } from './device-locks.ts'
import { type Installation, table } from './installations.ts'
import * as subscriptions from './subscriptions.ts'
import { addAnonymous, removeAnonymous } from './users.ts'

const columns = table.columns()

/** A registering device, of a user or anonymous. Omitted tags and an omitted time zone are kept. */
export type Registration = Pick<
  Installation,
  'org_id' | 'app_id' | 'provider' | 'environment' | 'token' | 'keys' | 'platform' | 'locale'
> & {
  id?: string
  device_id?: string
  push_user_id: string | null
  tags?: readonly string[] | undefined
  time_zone?: string | null | undefined
}

/**
 * Registers a device. A known token moves to the given user and keeps its ID. With `previous`, the device replaces the
 * device with that token. If the device leaves a user, its tags and subscriptions are deleted. If the device was
 * anonymous, they are kept.
 */
export async function register(tx: Db, device: Registration, previous: string | undefined): Promise<Installation> {
  const { token } = device
  await lockTokens(tx, [device, ...(previous === undefined ? [] : [{ ...device, token: previous }])])
  if (previous !== undefined && previous !== token) await replaceToken(tx, device, previous)
  const { push_user_id, leaves, former } = await ownerOf(tx, device)
  const { tags, time_zone, ...facts } = device
  const row = { ...facts, push_user_id, time_zone, id: device.id ?? newId() }
  const kept = leaves ? sql.fragment`'{}'::text[]` : sql.fragment`installations.tags`
  const registered = await tx.one(sql.type(table.Row)`
    ${table.insert({ ...row, ...(tags && { tags: sql.array([...tags], 'text') }) })}
    on conflict (app_id, provider, token) do update
    set push_user_id = excluded.push_user_id, environment = excluded.environment, keys = excluded.keys,
      platform = excluded.platform, locale = excluded.locale, status = 'active', invalidated_reason = null,
      invalidated_at = null, registered_at = now(), used_at = now(),
      device_id = coalesce(excluded.device_id, installations.device_id),
      tags = ${tags ? sql.fragment`excluded.tags` : kept},
      time_zone = ${time_zone === undefined ? sql.fragment`installations.time_zone` : sql.fragment`excluded.time_zone`}
    returning ${columns}`)
  if (former !== undefined) await removeAnonymous(tx, [former])
  return registered
}

async function replaceToken(
  tx: Db,
  { app_id, provider, token }: Pick<Installation, 'app_id' | 'provider' | 'token'>,
  previous: string,
): Promise<void> {
  const before = sql.fragment`app_id = ${app_id} and provider = ${provider} and token = ${previous}`
  const isThere = await tx.exists(sql.type(z.object({ id: Id }))`
    select id from push.installations where app_id = ${app_id} and provider = ${provider} and token = ${token}`)
  if (!isThere) {
    await tx.query(sql.typeAlias('void')`update push.installations set token = ${token} where ${before}`)
    return
  }
  const left = await tx.maybeOneFirst(sql.type(z.object({ push_user_id: Id }))`
    delete from push.installations where ${before} returning push_user_id`)
  if (left !== null) await removeAnonymous(tx, [left])
}

const Locked = table.Row.pick({ id: true, push_user_id: true })

/**
 * Returns a device and its user, locked. `null` if the device does not exist. The user is read after the lock is taken,
 * because the device may have been claimed before.
 */
async function lockOwned(tx: Db, which: FragmentSqlToken) {
  const device = await tx.maybeOne(sql.type(Locked)`
    select id, push_user_id from push.installations where ${which} for update`)
  if (!device) return null
  const is_anonymous = await tx.oneFirst(sql.type(z.object({ is_anonymous: z.boolean() }))`
    select user_id is null as is_anonymous from push.users where id = ${device.push_user_id}`)
  return { ...device, is_anonymous }
}

interface NewOwner {
  push_user_id: string
  /** True if the device leaves a user. */
  leaves: boolean
  /** Anonymous user who was known only by this device. */
  former?: string
}

/** Returns the new owner of a registering device, and whether it leaves a user. Updates its subscriptions. */
async function ownerOf(tx: Db, { org_id, app_id, provider, token, push_user_id }: Registration): Promise<NewOwner> {
  const before = await lockOwned(tx, sql.fragment`app_id = ${app_id} and provider = ${provider} and token = ${token}`)
  const isNobodys = push_user_id === null
  if (before && (isNobodys ? before.is_anonymous : before.push_user_id === push_user_id)) {
    return { push_user_id: before.push_user_id, leaves: false }
  }
  const owner = push_user_id ?? newId()
  if (push_user_id === null) await addAnonymous(tx, [{ id: owner, org_id, app_id }])
  if (before?.is_anonymous) await subscriptions.moveToUsers(tx, [{ installation_id: before.id, push_user_id: owner }])
  else if (before) await subscriptions.removeForDevices(tx, [before.id])
  if (before?.is_anonymous) return { push_user_id: owner, leaves: false, former: before.push_user_id }
  return { push_user_id: owner, leaves: before !== null }
}

/** Links an anonymous device to a user. Returns `null` if it belongs to another user or does not exist. */
export async function claim(
  tx: Db,
  { id, org_id }: Pick<Installation, 'id' | 'org_id'>,
  pushUserId: string,
): Promise<Installation | null> {
  const before = await lockOwned(tx, sql.fragment`id = ${id} and org_id = ${org_id}`)
  if (!before || !(before.is_anonymous || before.push_user_id === pushUserId)) return null
  if (before.is_anonymous) await subscriptions.moveToUsers(tx, [{ installation_id: id, push_user_id: pushUserId }])
  const claimed = await tx.one(sql.type(table.Row)`
    update push.installations set push_user_id = ${pushUserId} where id = ${id} returning ${columns}`)
  if (before.is_anonymous) await removeAnonymous(tx, [before.push_user_id])
  return claimed
}
