import type { z } from 'zod'
import { badRequest, conflict, type Fault, notFound } from '#lib/errors.ts'
import { makeKey } from '#lib/tokens.ts'
import * as audit from '#sql/account/audit.ts'
import * as invitations from '#sql/account/invitations.ts'
import * as secrets from '#sql/account/key-secrets.ts'
import * as keys from '#sql/account/keys.ts'
import * as members from '#sql/account/members.ts'
import * as orgs from '#sql/account/orgs.ts'
import type { Db } from '#sql/db.ts'
import * as sites from '#sql/guard/sites.ts'
import * as apps from '#sql/push/apps.ts'
import { emit } from '../../webhooks/rules/emit.ts'
import { authorityOf, demandOwner } from './authority.ts'
import { actOf, type Doer, keyOf } from './doer.ts'
import { demandHeld, demandReach, type Power } from './grant.ts'
import { type KeyChangeInput, type NewKeyInput, publicScopes, type RotationInput } from './key-input.ts'
import { demandUse, narrowed } from './locks.ts'

/** Keys of an organisation that are neither revoked nor expired. */
export const maxKeys = 100

/** A key, and the only copy of its secret there will ever be. */
export type Shown = keys.Key & { secret: string }

/** Makes a key that can do no more than its grantor, whose restrictions it takes over where it has none of its own. */
export async function issueKey(tx: Db, by: Doer, wanted: z.output<typeof NewKeyInput>): Promise<Shown> {
  const { orgId, actor } = by
  const { grantor } = await authorityOf(tx, by, wanted.mode === 'test' ? 'keys:test' : 'keys:live')
  const power: Power = {
    scopes: wanted.scopes,
    locks: narrowed(grantor.locks, wanted.locks ?? {}),
    mode: wanted.mode ?? grantor.mode,
    networks: wanted.networks ?? (grantor.networks && [...grantor.networks]),
    rate_per_minute: wanted.rate_per_minute ?? grantor.rate_per_minute,
    expires_at: wanted.expires_at ?? grantor.expires_at,
  }
  demandHeld(grantor, power)
  demandUse(wanted.locks ?? {}, wanted.scopes)
  const faults = [...(wanted.public ? publicFaults(power) : []), ...(await strangers(tx, orgId, wanted.locks ?? {}))]
  if (faults.length > 0) throw badRequest(faults)
  await demandRoom(tx, orgId, wanted.name)
  const prefix = wanted.public ? 'bt_site_' : power.mode === 'test' ? 'bt_test_' : 'bt_live_'
  const created_by = `${actor.kind}:${actor.id ?? actor.name}`
  const made = await keys.create(tx, {
    ...power,
    orgId,
    prefix,
    created_by,
    made_by_key: keyOf(by),
    name: wanted.name,
    note: wanted.note,
    scopes: [...power.scopes],
  })
  await emit(tx, orgId, 'account.key.created', eventOf(made))
  await audit.append(tx, { ...actOf(by), action: 'key.created', target: made.id, after: told(made) })
  return made
}

/** A public key may do what a visitor may, for one site or app. */
function publicFaults({ scopes, locks, mode }: Power): Fault[] {
  const faults: Fault[] = []
  const server = scopes.filter((scope) => !publicScopes.some((one) => one === scope))
  if (server.length > 0) {
    faults.push({
      field: 'body.scopes',
      issue: `can only be ${publicScopes.join(', ')} for a public key, not ${server.join(', ')}`,
    })
  }
  const subscribes = scopes.includes('push:subscribe')
  if ((subscribes || scopes.includes('push:receipt')) && !locks.app_id) {
    faults.push({ field: 'body.locks.app_id', issue: 'is required for a public key' })
  }
  // What it registers gets the messages of the app, and what it asks spends tokens: on the pages of the customer alone.
  if ((subscribes || scopes.includes('bots:chat')) && !locks.origins)
    faults.push({ field: 'body.locks.origins', issue: 'is required for a public key' })
  if (scopes.includes('guard:challenge') && !locks.site_id) {
    faults.push({ field: 'body.locks.site_id', issue: 'is required for a public key' })
  }
  if (mode === 'test') faults.push({ field: 'body.mode', issue: 'must be live for a public key' })
  return faults
}

/** Locks to what the organisation does not have. */
async function strangers(tx: Db, orgId: string, { app_id, site_id }: keys.Locks): Promise<Fault[]> {
  const faults: Fault[] = []
  if (app_id && !(await apps.find(tx, orgId, app_id)))
    faults.push({ field: 'body.locks.app_id', issue: 'must be the ID of an app of this organisation' })
  if (site_id && !(await sites.find(tx, orgId, site_id))) {
    faults.push({ field: 'body.locks.site_id', issue: 'must be the ID of a site of this organisation' })
  }
  return faults
}

/** Holds the organisation until the transaction ends, so that of two requests at once the second counts the first one's key. */
async function demandRoom(tx: Db, orgId: string, name: string): Promise<void> {
  await orgs.lock(tx, orgId)
  const { live, repeated } = await keys.room(tx, orgId, name)
  if (repeated) throw conflict(`A key named "${name}" was created less than a minute ago. Use another name or wait.`)
  if (live >= maxKeys)
    throw conflict(`An organisation can have up to ${maxKeys} active keys. Revoke a key first.`, 'key_limit', {
      max: maxKeys,
    })
}

/** Changes what does not widen a key beyond its grantor. Throws 400 for another end of one that has ended: it counts as a key no more. */
export async function changeKey(
  tx: Db,
  by: Doer,
  id: string,
  wanted: z.output<typeof KeyChangeInput>,
): Promise<keys.Key> {
  const { grantor } = await authorityOf(tx, by, 'keys:test')
  const before = await lockLive(tx, by.orgId, id)
  demandHeld(grantor, before)
  if (wanted.expires_at !== undefined && before.expires_at && before.expires_at <= new Date()) {
    throw badRequest([
      { field: 'body.expires_at', issue: 'cannot be changed: the key has expired. Create another key.' },
    ])
  }
  const given = Object.entries(wanted).filter(([, value]) => value !== undefined)
  const change: keys.Change = Object.fromEntries(given)
  demandHeld(grantor, { ...before, ...change })
  const after = await keys.change(tx, by.orgId, id, change)
  if (!after) throw notFound('key')
  await audit.append(tx, { ...actOf(by), action: 'key.changed', target: id, before: told(before), after: told(after) })
  return after
}

/** Gives a key another secret, by whoever holds all that the key can do. */
export async function rotateKey(tx: Db, by: Doer, id: string, wanted: z.output<typeof RotationInput>): Promise<Shown> {
  const { grantor } = await authorityOf(tx, by, 'keys:test')
  const key = await lockLive(tx, by.orgId, id)
  demandHeld(grantor, key)
  return await replaceSecret(tx, by, key, wanted)
}

/** Gives a key that is locked another secret, without asking what it can do; those before it stay good for some hours. */
export async function replaceSecret(
  tx: Db,
  by: Doer,
  key: keys.Key,
  wanted: z.output<typeof RotationInput>,
): Promise<Shown> {
  const atOnce = wanted.keep_hours === 0 && wanted.from === 'now'
  const good = await secrets.listGood(tx, [key.id])
  if (good.length > 1 && !atOnce) {
    throw conflict(
      'This key already has two active secrets. Wait until one expires, or rotate with `keep_hours` 0 from `now`.',
      'rotation_running',
    )
  }
  const secret = makeKey(key.prefix as Parameters<typeof makeKey>[0])
  const fromFirstUse = wanted.from === 'first_use'
  await secrets.rotate(tx, key, { secret, keepHours: wanted.keep_hours, fromFirstUse })
  // From the first use on, nobody knows yet when that will be.
  const previous_until = fromFirstUse ? null : new Date(Date.now() + wanted.keep_hours * 3_600_000).toISOString()
  await emit(tx, by.orgId, 'account.key.rotated', { ...eventOf(key), previous_until })
  await audit.append(tx, { ...actOf(by), action: 'key.rotated', target: key.id, after: { ...wanted } })
  return { ...key, secret }
}

/** Ends a key for good, by whoever reaches what it does: no wider locks, no further networks, live keys by no test key. Returns false when it was revoked before. */
export async function revokeKey(tx: Db, by: Doer, id: string): Promise<boolean> {
  const { grantor } = await authorityOf(tx, by, 'keys:test')
  const key = await keys.lock(tx, by.orgId, id)
  if (!key) throw notFound('key')
  demandReach(grantor, key)
  return await endKey(tx, by, id)
}

/** Ends a key for good, and with it the keys and invitations that it has made. Returns false when it was revoked before. */
export async function endKey(tx: Db, by: Doer, id: string): Promise<boolean> {
  // What the key makes at the same time is committed before, and ends with it.
  await members.lock(tx, by.orgId)
  const ended = await keys.revoke(tx, by.orgId, id)
  const act = actOf(by)
  for (const key of ended) {
    await emit(tx, by.orgId, 'account.key.revoked', eventOf(key))
    const after = key.id === id ? undefined : { with: key.made_by_key }
    await audit.append(tx, { ...act, action: 'key.revoked', target: key.id, before: told(key), after })
  }
  const makers = ended.map((key) => key.id)
  for (const { id: target, email, role } of await invitations.revokeByKeys(tx, by.orgId, makers))
    await audit.append(tx, { ...act, action: 'invitation.withdrawn', target, before: { email, role } })
  return ended.length > 0
}

/** Has a key that another one has made go on without it, by an owner. Throws 403 and 404. */
export async function confirmKey(tx: Db, by: Doer, id: string): Promise<keys.Key> {
  await demandOwner(tx, by, 'owners', 'Only an owner can confirm keys that a key created, in the dashboard.')
  const key = await lockLive(tx, by.orgId, id)
  if (key.made_by_key === null) return key
  const after = await keys.confirm(tx, by.orgId, id)
  await audit.append(tx, {
    ...actOf(by),
    action: 'key.confirmed',
    target: id,
    before: { made_by_key: key.made_by_key },
  })
  return after
}

/** A key that is not revoked, which nobody else changes until the transaction ends; throws 404 and 409. */
export async function lockLive(tx: Db, orgId: string, id: string): Promise<keys.Key> {
  const key = await keys.lock(tx, orgId, id)
  if (!key) throw notFound('key')
  if (key.revoked_at) throw conflict('This key is revoked.', 'key_revoked')
  return key
}

/** What the audit log tells of a key. */
export function told({ name, prefix, scopes, locks, mode, networks, rate_per_minute, expires_at }: keys.Key) {
  const ends = expires_at?.toISOString() ?? null
  return {
    name,
    prefix,
    scopes,
    locks: { ...locks } as Record<string, string | string[]>,
    mode,
    networks,
    rate_per_minute,
    expires_at: ends,
  }
}

/** What events tell of a key. */
export const eventOf = ({ id, name, mode, expires_at }: keys.Key) => ({
  id,
  name,
  mode,
  expires_at: expires_at?.toISOString() ?? null,
})
