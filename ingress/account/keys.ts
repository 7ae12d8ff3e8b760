import { z } from 'zod'
import * as secrets from '#sql/account/keys/secrets.ts'
import * as keys from '#sql/account/keys.ts'
import type { Db } from '#sql/db.ts'
import { KeyChangeInput, NewKeyInput, RotationInput } from '#tasks/account/rules/key-input.ts'
import { changeKey, type IssuedKey, issueKey, revokeKey, rotateKey } from '#tasks/account/rules/keys.ts'
import { everyLock } from '#tasks/account/rules/locks.ts'
import { keyChanges } from '../http/key-changes.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { actForKey } from './acting.ts'
import { findReachableKey } from './key-reach.ts'
import {
  ApiKey,
  ApiKeyWithSecret,
  keyLimit,
  keyRevoked,
  lockWithoutScope,
  presentKey,
  rotationRunning,
  scopeNotHeld,
} from './key-schemas.ts'

const shared = { scope: 'account:keys', beyondContract: true } as const
const params = z.object({ id: pathId('key') })

/**
 * Maximum number of key changes per minute and organisation. Each change locks the organisation and adds an audit
 * entry.
 */
const limit = { perMinute: 60, by: 'org' } as const

async function present(db: Db, key: keys.Key) {
  return presentKey(key, await secrets.listActive(db, [key.id]))
}

const withSecret = async (db: Db, shown: IssuedKey) => ({ ...(await present(db, shown)), secret: shown.secret })

export const list = listRoute({
  ...shared,
  path: '/account/keys',
  testKeys: 'sandbox',
  summary: 'List API keys, newest first',
  description: 'Returns each key without its secret. Set `revoked` to list revoked keys.',
  filters: keys.filters,
  query: { revoked: z.stringbool().default(false).describe('`true` to list revoked keys instead of active keys') },
  item: ApiKey,
  async rows({ org, key, db }, page) {
    const found = await keys.listPage(db, org.id, { ...page, testOnly: key.mode === 'test' })
    const good = await secrets.listActive(
      db,
      found.map(({ id }) => id),
    )
    return found.map((key) => presentKey(key, good))
  },
  present: (key) => key,
})

export const create = route({
  ...shared,
  method: 'POST',
  path: '/account/keys',
  testKeys: 'sandbox',
  locks: everyLock,
  summary: 'Create an API key',
  description:
    '`secret` is returned only in this response, so idempotency keys are not accepted. Using the same name again within one minute returns `409`. The new key has at most the permissions of the calling key. Locks, networks, rate and expiry that you omit are copied from the calling key.',
  limit,
  body: NewKeyInput,
  status: 201,
  reply: ApiKeyWithSecret,
  problems: [scopeNotHeld, lockWithoutScope, 'conflict', keyLimit],
  async handle({ body, db, ...call }) {
    return await db.transaction(async (tx) => withSecret(tx, await issueKey(tx, actForKey(call), body)))
  },
  example: { body: { name: 'shop', scopes: ['email:send'], locks: { from_domains: ['shop.example'] } } },
})

export const read = route({
  ...shared,
  method: 'GET',
  path: '/account/keys/{id}',
  testKeys: 'sandbox',
  locks: everyLock,
  summary: 'Read an API key',
  description: 'Returns the key without its secret, including its scopes, locks, networks and expiry.',
  params,
  status: 200,
  reply: ApiKey,
  problems: ['not_found'],
  async handle({ params: { id }, org, key, db }) {
    return await present(db, await mustFind(findReachableKey(db, { org, key }, id), 'key'))
  },
})

export const update = route({
  ...shared,
  method: 'PATCH',
  path: '/account/keys/{id}',
  testKeys: 'sandbox',
  locks: everyLock,
  summary: 'Update an API key',
  description:
    'Scopes and locks cannot be changed. A change that would exceed the permissions of the calling key, such as a later expiry, returns `403`.',
  limit,
  params,
  body: KeyChangeInput,
  status: 200,
  reply: ApiKey,
  problems: ['not_found', scopeNotHeld, keyRevoked],
  async handle({ params: { id }, body, db, ...call }) {
    return await db.transaction(async (tx) => present(tx, await changeKey(tx, actForKey(call), id, body)))
  },
})

export const remove = removeRoute({
  ...shared,
  path: '/account/keys/{id}',
  testKeys: 'sandbox',
  locks: everyLock,
  summary: 'Revoke an API key',
  description: 'Every process rejects the key within seconds. You cannot undo this.',
  limit,
  params,
  done: 'revoked',
  what: 'key',
  async remove({ params: { id }, db, ...call }) {
    await revokeKey(db, actForKey(call), id)
  },
  settle: ({ services }) => services(keyChanges).caughtUp(),
})

export const rotate = route({
  ...shared,
  method: 'POST',
  path: '/account/keys/{id}/rotate',
  testKeys: 'sandbox',
  locks: everyLock,
  summary: 'Rotate an API key secret',
  description:
    '`secret` is returned only in this response. The previous secret stays valid until it expires. Until then, another rotation requires `keep_hours` 0 and `from` `now`, which ends both secrets.',
  limit,
  params,
  body: RotationInput,
  status: 200,
  reply: ApiKeyWithSecret,
  problems: ['not_found', scopeNotHeld, keyRevoked, rotationRunning],
  async handle({ params: { id }, body, db, ...call }) {
    return await db.transaction(async (tx) => withSecret(tx, await rotateKey(tx, actForKey(call), id, body)))
  },
})
