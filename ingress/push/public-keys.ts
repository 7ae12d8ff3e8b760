import { z } from 'zod'
import { withoutControl } from '#lib/characters.ts'
import { Id } from '#lib/ids.ts'
import { Origin } from '#lib/network/origin.ts'
import * as audit from '#sql/account/audit.ts'
import * as secrets from '#sql/account/keys/secrets.ts'
import type { Key } from '#sql/account/keys.ts'
import * as members from '#sql/account/people/members.ts'
import type { Db } from '#sql/db.ts'
import * as rows from '#sql/push/public-keys.ts'
import { readAuthority } from '#tasks/account/rules/authority.ts'
import { toAct } from '#tasks/account/rules/doer.ts'
import { demandHeld } from '#tasks/account/rules/grant.ts'
import { RotationInput } from '#tasks/account/rules/key-input.ts'
import { auditedFields, issueKey, revokeKey, rotateKey } from '#tasks/account/rules/keys.ts'
import type { Scope } from '#tasks/account/rules/scopes.ts'
import { actorOfCall } from '../http/acting.ts'
import type { Call } from '../http/call.ts'
import { Instant } from '../http/instant.ts'
import { keyChanges } from '../http/key-changes.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { findOwnApp } from './apps/own-app.ts'

/** Scopes that a web page needs to register its browser and report receipts. */
export const pageScopes: readonly ['push:receipt', 'push:subscribe'] = ['push:receipt', 'push:subscribe']

const scopeNotHeld = problem(403, 'scope_not_held', 'The calling key does not have all scopes of the public key.')
const keyLimit = problem(409, 'key_limit', 'The organisation has the maximum number of keys. Revoke one first.')
const rotationRunning = problem(
  409,
  'rotation_running',
  'This key already has two active secrets. Wait until the old one expires.',
)

/** Managing a public key requires its scopes, because a key cannot create a key with more permissions. */
const shared = { scope: ['push:manage', 'push:send'] as const satisfies readonly Scope[] }

/** Maximum number of changes per organisation and minute. Each change is recorded in the audit log. */
const limit = { perMinute: 60, by: 'org' } as const

const ofApp = z.object({ app_id: pathId('app') })
const ofKey = ofApp.extend({ key_id: pathId('key') })

const name = z.string().trim().min(1).max(100).regex(withoutControl, 'must not contain control characters')

const origins = z
  .array(Origin)
  .min(1)
  .max(100)
  .transform((given) => [...new Set(given)])
  .describe('Origins of the web pages that can use the key')

const fields = {
  id: Id,
  name: z.string(),
  start: z.string().describe('First characters of the newest secret'),
  origins: z.array(z.string()).nullable().describe('`null` for a key that only reports receipts, from anywhere'),
  scopes: z.array(z.string()),
  rate_per_minute: z.number().nullable(),
  created_at: Instant,
  last_used_at: Instant.nullable(),
}

const PublicKey = z.object(fields).meta({ id: 'push.PublicKey' })

const ShownPublicKey = z
  .object({ ...fields, key: z.string().describe('Key. Returned only in this response.') })
  .meta({ id: 'push.ShownPublicKey' })

function present(key: Key, good: readonly secrets.Secret[]): z.input<typeof PublicKey> {
  const newest = good.find(({ key_id }) => key_id === key.id)
  return { ...key, start: newest?.start ?? key.prefix, origins: key.locks.origins ?? null }
}

const presentOne = async (db: Db, key: Key) => present(key, await secrets.listActive(db, [key.id]))

type Acting = Pick<Call<unknown, unknown, unknown, false>, 'org' | 'key' | 'actor' | 'requestId' | 'ip'>

export const create = route({
  ...shared,
  method: 'POST',
  path: '/apps/{app_id}/public-keys',
  locks: ['app_id'],
  summary: 'Create a public key for web pages',
  description:
    'The key is for use in web pages. It can only register the browser and report receipts. `key` is returned only in this response, so idempotency keys are not accepted. Using the same name again within one minute returns `409`.',
  limit,
  params: ofApp,
  body: z.strictObject({ name, origins }),
  status: 201,
  reply: ShownPublicKey,
  problems: ['not_found', 'conflict', keyLimit, scopeNotHeld],
  example: { body: { name: 'Shop', origins: ['https://shop.example.com'] } },
  async handle({ params, body, db, ...call }) {
    const { id: app_id } = await findOwnApp(db, call, params.app_id)
    const wanted = {
      name: body.name,
      scopes: [...pageScopes],
      locks: { app_id, origins: body.origins },
      public: true,
    }
    return await db.transaction(async (tx) => {
      const { secret, ...key } = await issueKey(tx, actorOfCall(call), wanted)
      return { ...(await presentOne(tx, key)), key: secret }
    })
  },
})

export const list = listRoute({
  ...shared,
  path: '/apps/{app_id}/public-keys',
  locks: ['app_id'],
  summary: 'List the public keys of an app, newest first',
  description: 'Returns the keys that browsers use to register for push, with their allowed origins.',
  params: ofApp,
  item: PublicKey,
  problems: ['not_found'],
  async rows({ params, org, key, db }, page) {
    const app = await findOwnApp(db, { org, key }, params.app_id)
    const found = await rows.list(db, org.id, app.id, page)
    const good = await secrets.listActive(
      db,
      found.map(({ id }) => id),
    )
    return found.map((one) => present(one, good))
  },
  present: (key) => key,
})

export const update = route({
  ...shared,
  method: 'PATCH',
  path: '/apps/{app_id}/public-keys/{key_id}',
  locks: ['app_id'],
  summary: 'Update the origins of a public key',
  description: '`origins` replaces all origins. Changes apply within seconds.',
  limit,
  params: ofKey,
  body: z.strictObject({ origins }),
  status: 200,
  reply: PublicKey,
  problems: ['not_found', scopeNotHeld],
  async handle({ params, body, db, ...call }) {
    const app = await findOwnApp(db, call, params.app_id)
    return await db.transaction((tx) => changeOrigins(tx, call, { appId: app.id, ...params }, body.origins))
  },
})

async function changeOrigins(
  tx: Db,
  call: Acting,
  { appId, key_id }: { appId: string; key_id: string },
  origins: readonly string[],
) {
  const by = actorOfCall(call)
  const { grantor } = await readAuthority(tx, by, 'keys:live')
  const before = await mustFind(rows.lock(tx, call.org.id, appId, key_id), 'key')
  demandHeld(grantor, { ...before, locks: { ...before.locks, origins: [...origins] } })
  const after = await rows.setOrigins(tx, key_id, origins)
  const shown = await presentOne(tx, after)
  await audit.append(tx, {
    ...toAct(by),
    action: 'key.changed',
    target: key_id,
    before: auditedFields(before),
    after: auditedFields(after),
  })
  return shown
}

export const rotate = route({
  ...shared,
  method: 'POST',
  path: '/apps/{app_id}/public-keys/{key_id}/rotate',
  locks: ['app_id'],
  summary: 'Rotate a public key',
  description:
    'Returns a new `key`, only once. The old key remains valid for `keep_hours`, so that open web pages continue to work.',
  limit,
  params: ofKey,
  body: RotationInput,
  status: 200,
  reply: ShownPublicKey,
  problems: ['not_found', rotationRunning, scopeNotHeld],
  async handle({ params, body, db, ...call }) {
    const { id: appId } = await findOwnApp(db, call, params.app_id)
    return await db.transaction(async (tx) => {
      await members.lock(tx, call.org.id)
      await mustFind(rows.lock(tx, call.org.id, appId, params.key_id), 'key')
      const { secret, ...key } = await rotateKey(tx, actorOfCall(call), params.key_id, body)
      return { ...(await presentOne(tx, key)), key: secret }
    })
  },
})

export const remove = removeRoute({
  ...shared,
  path: '/apps/{app_id}/public-keys/{key_id}',
  locks: ['app_id'],
  summary: 'Revoke a public key',
  description:
    'The key stops working within seconds. You cannot undo this. Browsers that were registered with the key stay registered.',
  limit,
  params: ofKey,
  done: 'revoked',
  what: 'key',
  async remove({ params, db, ...call }) {
    const { id: appId } = await findOwnApp(db, call, params.app_id)
    await members.lock(db, call.org.id)
    await mustFind(rows.lock(db, call.org.id, appId, params.key_id), 'key')
    await revokeKey(db, actorOfCall(call), params.key_id)
  },
  settle: ({ services }) => services(keyChanges).caughtUp(),
})
