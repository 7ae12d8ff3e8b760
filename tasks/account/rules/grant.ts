import { forbidden, Problem } from '#lib/errors.ts'
import { areAllWithin } from '#lib/network/network.ts'
import { operatorScope } from '#lib/tokens.ts'
import type { Key, Locks } from '#sql/account/keys.ts'
import { demandNoWider, findWiderLock } from './locks.ts'
import { findMissing } from './scopes.ts'

export interface Grantor {
  scopes: readonly string[]
  locks: Locks
  mode: Key['mode']
  networks: readonly string[] | null
  rate_per_minute: number | null
  expires_at: Date | null
}

export const grantorWith = (scopes: readonly string[]): Grantor => ({
  scopes,
  locks: {},
  mode: 'live',
  networks: null,
  rate_per_minute: null,
  expires_at: null,
})

export type Power = Pick<Key, keyof Grantor>

export function demandHeld(by: Grantor, key: Power): void {
  const missing = findMissing(by.scopes, key.scopes)
  if (key.scopes.includes(operatorScope) && !missing.includes(operatorScope)) missing.push(operatorScope)
  if (missing.length > 0) {
    const message = `You do not have ${missing.map((scope) => `\`${scope}\``).join(', ')}, so you cannot grant it.`
    throw new Problem(403, 'scope_not_held', message, { details: { scopes: missing } })
  }
  demandReach(by, key)
  if (by.rate_per_minute !== null && (key.rate_per_minute ?? Number.POSITIVE_INFINITY) > by.rate_per_minute) {
    throw forbidden(
      `You can send ${by.rate_per_minute} requests per minute. Keys that you create cannot have a higher limit.`,
    )
  }
  if (by.expires_at && !(key.expires_at && key.expires_at <= by.expires_at)) {
    throw forbidden(`Your access ends at ${by.expires_at.toISOString()}. Keys that you create must expire by then.`)
  }
}

/**
 * Throws 403 if the key has wider locks or more networks than the grantor, or if the key is live and the grantor is a
 * test key.
 */
export function demandReach(by: Grantor, key: Pick<Power, 'locks' | 'mode' | 'networks'>): void {
  demandNoWider(by.locks, key.locks)
  if (isBeyondMode(by, key)) throw forbidden('A test key can only create and manage test keys.')
  if (by.networks && !(key.networks && areAllWithin(key.networks, by.networks))) {
    throw forbidden(
      `Your access is limited to the networks ${by.networks.join(', ')}. Keys that you create must have the same limit.`,
    )
  }
}

const isBeyondMode = (by: Pick<Power, 'mode'>, key: Pick<Power, 'mode'>): boolean =>
  by.mode === 'test' && key.mode !== 'test'

/**
 * True if one key can access another key. Test keys can access test keys. Locked keys can access keys with the same
 * locks.
 */
export const canReach = (by: Pick<Power, 'locks' | 'mode'>, key: Pick<Power, 'locks' | 'mode'>): boolean =>
  !isBeyondMode(by, key) && findWiderLock(by.locks, key.locks) === undefined
