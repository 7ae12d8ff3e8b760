import { forbidden, Problem } from '#lib/errors.ts'
import { allWithin } from '#lib/network.ts'
import { operatorScope } from '#lib/tokens.ts'
import type { Key, Locks } from '#sql/account/keys.ts'
import { demandNoWider, widerLock } from './locks.ts'
import { missingOf } from './scopes.ts'

/** What somebody holds, and so can give to keys: a key's own rights, or those of a member's role. */
export interface Grantor {
  scopes: readonly string[]
  locks: Locks
  mode: Key['mode']
  networks: readonly string[] | null
  rate_per_minute: number | null
  expires_at: Date | null
}

/** Holds scopes and is restricted by nothing else, as members are. */
export const grantorWith = (scopes: readonly string[]): Grantor => ({
  scopes,
  locks: {},
  mode: 'live',
  networks: null,
  rate_per_minute: null,
  expires_at: null,
})

/** What of a key decides what can be done with it. */
export type Power = Pick<Key, keyof Grantor>

/** Throws 403 unless all that a key can do, its grantor can: nobody makes, changes or rotates a key for more. */
export function demandHeld(by: Grantor, key: Power): void {
  const missing = missingOf(by.scopes, key.scopes)
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

/** Throws 403 for a key that is less locked, live where its grantor is for tests, or usable from further networks. */
export function demandReach(by: Grantor, key: Pick<Power, 'locks' | 'mode' | 'networks'>): void {
  demandNoWider(by.locks, key.locks)
  if (isBeyondMode(by, key)) throw forbidden('A test key can only create and manage test keys.')
  if (by.networks && !(key.networks && allWithin(key.networks, by.networks))) {
    throw forbidden(
      `Your access is limited to the networks ${by.networks.join(', ')}. Keys that you create must have the same limit.`,
    )
  }
}

const isBeyondMode = (by: Pick<Power, 'mode'>, key: Pick<Power, 'mode'>): boolean =>
  by.mode === 'test' && key.mode !== 'test'

/** Whether a key is shown to another one: test keys see test keys, locked ones those that are locked as much. */
export const reaches = (by: Pick<Power, 'locks' | 'mode'>, key: Pick<Power, 'locks' | 'mode'>): boolean =>
  !isBeyondMode(by, key) && widerLock(by.locks, key.locks) === undefined
