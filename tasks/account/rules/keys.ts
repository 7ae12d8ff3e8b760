import type { z } from 'zod'
import { badRequest, conflict, type Fault, notFound } from '#lib/errors.ts'
import { makeKey } from '#lib/tokens.ts'
import * as audit from '#sql/account/audit.ts'
import * as secrets from '#sql/account/keys/secrets.ts'
import * as keys from '#sql/account/keys.ts'
import * as orgs from '#sql/account/orgs.ts'
import * as invitations from '#sql/account/people/invitations.ts'
import * as members from '#sql/account/people/members.ts'
import type { Db } from '#sql/db.ts'
import * as sites from '#sql/guard/sites.ts'
import * as apps from '#sql/push/apps.ts'
import { emit } from '../../webhooks/rules/emit.ts'
import { demandAiChange, demandAiLimits, describeAiLimits, readNewLimits } from './ai-limits.ts'
import { demandOwner, readAuthority } from './authority.ts'
import { actingKeyId, type Doer, toAct } from './doer.ts'
import { demandHeld, demandReach, type Power } from './grant.ts'
import { type KeyChangeInput, type NewKeyInput, publicScopes, type RotationInput } from './key-input.ts'
import { demandUse, narrowLocks } from './locks.ts'

export const maxKeys = 100

export type IssuedKey = keys.Key & { secret: string }

/** Creates a key with at most the permissions of its grantor. Omitted restrictions are copied from the grantor. */
export async function issueKey(
  tx: Db,
  by: Doer,
  wanted: z.output<typeof NewKeyInput>,
  clientName: string | null = null,
): Promise<IssuedKey> {
  const { orgId, actor } = by
  const { grantor } = await readAuthority(tx, by, wanted.mode === 'test' ? 'keys:test' : 'keys:live')
  const power: Power = {
    scopes: wanted.scopes,
    locks: narrowLocks(grantor.locks, wanted.locks ?? {}),
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
    made_by_key: actingKeyId(by),
    name: wanted.name,
    note: wanted.note,
    client_name: clientName,
    ai: await readNewLimits(tx, by, wanted.ai),
    scopes: [...power.scopes],
  })
  await emit(tx, orgId, 'account.key.created', toKeyEvent(made))
  await audit.append(tx, { ...toAct(by), action: 'key.created', target: made.id, after: auditedFields(made) })
  return made
}

/** Checks that a public key only has the scopes of a visitor and is locked to a site or app. */
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
  // Registered browsers receive messages of the app, and chats use tokens. So these keys must be limited to the
  // customer’s web pages.
  if ((subscribes || scopes.includes('bots:chat')) && !locks.origins)
    faults.push({ field: 'body.locks.origins', issue: 'is required for a public key' })
  if (scopes.includes('guard:challenge') && !locks.site_id) {
    faults.push({ field: 'body.locks.site_id', issue: 'is required for a public key' })
  }
  if (mode === 'test') faults.push({ field: 'body.mode', issue: 'must be live for a public key' })
  return faults
}

async function strangers(tx: Db, orgId: string, { app_id, site_id }: keys.Locks): Promise<Fault[]> {
  const faults: Fault[] = []
  if (app_id && !(await apps.find(tx, orgId, app_id)))
    faults.push({ field: 'body.locks.app_id', issue: 'must be the ID of an app of this organisation' })
  if (site_id && !(await sites.find(tx, orgId, site_id))) {
    faults.push({ field: 'body.locks.site_id', issue: 'must be the ID of a site of this organisation' })
  }
  return faults
}

/** Locks the organisation until the transaction ends, so that each concurrent request counts the keys of the others. */
async function demandRoom(tx: Db, orgId: string, name: string): Promise<void> {
  await orgs.lock(tx, orgId)
  const { live, repeated } = await keys.countRoom(tx, orgId, name)
  if (repeated) throw conflict(`A key named "${name}" was created less than a minute ago. Use another name or wait.`)
  if (live >= maxKeys)
    throw conflict(`An organisation can have up to ${maxKeys} active keys. Revoke a key first.`, 'key_limit', {
      max: maxKeys,
    })
}

/**
 * Changes a key within the permissions of its grantor. Throws 400 for a new expiry of an expired key, because expired
 * keys do not count toward the limit.
 */
export async function changeKey(
  tx: Db,
  by: Doer,
  id: string,
  wanted: z.output<typeof KeyChangeInput>,
): Promise<keys.Key> {
  const { grantor } = await readAuthority(tx, by, 'keys:test')
  const before = await lockLive(tx, by.orgId, id)
  demandHeld(grantor, before)
  if (wanted.ai !== undefined) await demandAiChange(tx, by, id)
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
  await audit.append(tx, {
    ...toAct(by),
    action: 'key.changed',
    target: id,
    before: auditedFields(before),
    after: auditedFields(after),
  })
  return after
}

/** Rotates the secret of a key. The actor must have all permissions of the key. */
export async function rotateKey(
  tx: Db,
  by: Doer,
  id: string,
  wanted: z.output<typeof RotationInput>,
): Promise<IssuedKey> {
  const { grantor } = await readAuthority(tx, by, 'keys:test')
  const key = await lockLive(tx, by.orgId, id)
  demandHeld(grantor, key)
  await demandAiLimits(tx, by, id)
  return await replaceSecret(tx, by, key, wanted)
}

/** Replaces the secret of a locked key without checking permissions. Previous secrets stay valid for some hours. */
export async function replaceSecret(
  tx: Db,
  by: Doer,
  key: keys.Key,
  wanted: z.output<typeof RotationInput>,
): Promise<IssuedKey> {
  const atOnce = wanted.keep_hours === 0 && wanted.from === 'now'
  const good = await secrets.listActive(tx, [key.id])
  if (good.length > 1 && !atOnce) {
    throw conflict(
      'This key already has two active secrets. Wait until one expires, or rotate with `keep_hours` 0 from `now`.',
      'rotation_running',
    )
  }
  const secret = makeKey(key.prefix as Parameters<typeof makeKey>[0])
  const fromFirstUse = wanted.from === 'first_use'
  await secrets.rotate(tx, key, { secret, keepHours: wanted.keep_hours, fromFirstUse })
  // With `first_use`, the time at which the previous secret ends is not known yet.
  const previous_until = fromFirstUse ? null : new Date(Date.now() + wanted.keep_hours * 3_600_000).toISOString()
  await emit(tx, by.orgId, 'account.key.rotated', { ...toKeyEvent(key), previous_until })
  await audit.append(tx, { ...toAct(by), action: 'key.rotated', target: key.id, after: { ...wanted } })
  return { ...key, secret }
}

/**
 * Revokes a key permanently. The key must have the same or narrower locks and networks than the actor, and a test key
 * cannot revoke a live key. Returns false if the key was already revoked.
 */
export async function revokeKey(tx: Db, by: Doer, id: string): Promise<boolean> {
  const { grantor } = await readAuthority(tx, by, 'keys:test')
  const key = await keys.lock(tx, by.orgId, id)
  if (!key) throw notFound('key')
  demandReach(grantor, key)
  return await endKey(tx, by, id)
}

/**
 * Revokes a key permanently, with the keys and invitations that it created. Returns false if it was already revoked.
 */
export async function endKey(tx: Db, by: Doer, id: string): Promise<boolean> {
  // If the key creates objects at the same time, they are committed before this point and end with the key.
  await members.lock(tx, by.orgId)
  const ended = await keys.revoke(tx, by.orgId, id)
  const act = toAct(by)
  for (const key of ended) {
    await emit(tx, by.orgId, 'account.key.revoked', toKeyEvent(key))
    const after = key.id === id ? undefined : { with: key.made_by_key }
    await audit.append(tx, { ...act, action: 'key.revoked', target: key.id, before: auditedFields(key), after })
  }
  const makers = ended.map((key) => key.id)
  for (const { id: target, email, role } of await invitations.revokeByKeys(tx, by.orgId, makers))
    await audit.append(tx, { ...act, action: 'invitation.withdrawn', target, before: { email, role } })
  return ended.length > 0
}

export async function confirmKey(tx: Db, by: Doer, id: string): Promise<keys.Key> {
  await demandOwner(tx, by, 'owners', 'Only an owner can confirm keys that a key created, in the dashboard.')
  const key = await lockLive(tx, by.orgId, id)
  if (key.made_by_key === null) return key
  const after = await keys.confirm(tx, by.orgId, id)
  await audit.append(tx, {
    ...toAct(by),
    action: 'key.confirmed',
    target: id,
    before: { made_by_key: key.made_by_key },
  })
  return after
}

export async function lockLive(tx: Db, orgId: string, id: string): Promise<keys.Key> {
  const key = await keys.lock(tx, orgId, id)
  if (!key) throw notFound('key')
  if (key.revoked_at) throw conflict('This key is revoked.', 'key_revoked')
  return key
}

export function auditedFields(key: keys.Key) {
  const { name, prefix, scopes, locks, mode, networks, rate_per_minute, expires_at, ai } = key
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
    ai: describeAiLimits(ai),
  }
}

export const toKeyEvent = ({ id, name, mode, expires_at }: keys.Key) => ({
  id,
  name,
  mode,
  expires_at: expires_at?.toISOString() ?? null,
})
