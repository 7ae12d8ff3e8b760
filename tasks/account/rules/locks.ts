import { forbidden, Problem } from '#lib/errors.ts'
import type { Locks } from '#sql/account/keys.ts'
import type { Scope } from './scopes.ts'

export type LockName = keyof Locks

/**
 * A lock to a part of the organisation. Origins apply to all operations. `calls` applies only to operations that start
 * or end calls.
 */
export type PartLock = Exclude<LockName, 'origins' | 'calls'>

/**
 * The locks that an operation compares with its request. The operation ignores other locks. Without a list, the
 * operation rejects keys that are locked to a part. With the list `['calls']`, it also rejects them.
 */
export type LockRules = readonly PartLock[] | readonly ['calls']

/** For operations on keys: a key can access keys with the same or narrower locks. */
export const everyLock: readonly PartLock[] = ['from_domains', 'app_id', 'site_id', 'tenant_id']

/**
 * Scopes for which each lock has an effect. A key must have one of these scopes, otherwise the lock restricts nothing.
 */
export const scopesOfLock: Readonly<Record<LockName, readonly Scope[] | 'any'>> = {
  from_domains: ['email:content', 'email:send', 'email:manage', 'notify:write', 'verify:write'],
  app_id: ['push:manage', 'push:receipt', 'push:send', 'push:subscribe', 'notify:write'],
  site_id: ['guard:challenge', 'guard:verify', 'verify:write'],
  origins: 'any',
  tenant_id: ['files:read', 'files:write'],
  calls: ['voice:read', 'voice:call', 'verify:write'],
}

export const lockNames = Object.keys(scopesOfLock) as LockName[]

export function getLockRule(rules: LockRules | undefined, name: LockName): 'binds' | 'free' | 'refuses' {
  if (name === 'origins') return 'binds'
  const bound: readonly LockName[] = rules ?? []
  if (name === 'calls') return bound.includes('calls') ? 'binds' : 'free'
  if (!rules || bound.includes('calls')) return 'refuses'
  return bound.includes(name) ? 'binds' : 'free'
}

export const findRefusingLock = (locks: Locks, rules: LockRules | undefined): LockName | undefined =>
  lockNames.find((name) => locks[name] !== undefined && getLockRule(rules, name) === 'refuses')

export const lockRefusal = (name: LockName): string =>
  name === 'calls'
    ? 'This key is locked by `calls: false`: it cannot place or end calls.'
    : `This key is locked by \`${name}\`. This operation is not limited to that part: use a key without this lock.`

export function demandUse(locks: Locks, scopes: readonly string[]): void {
  const idle = lockNames.filter((name) => {
    const used = scopesOfLock[name]
    return locks[name] !== undefined && used !== 'any' && !used.some((scope) => scopes.includes(scope))
  })
  if (idle.length === 0) return
  const details = idle.map((name) => ({
    field: `body.locks.${name}`,
    issue: `requires one of the scopes ${[scopesOfLock[name]].flat().join(', ')}`,
  }))
  const message = details.map(({ field, issue }) => `${field}: ${issue}`).join('; ')
  throw new Problem(400, 'lock_without_scope', message, { details })
}

/** Returns the locks of a new key. Omitted locks are copied from `held`. No lock can be wider than in `held`. */
export function narrowLocks(held: Locks, wanted: Locks): Locks {
  const locks = { ...held, ...wanted }
  demandNoWider(held, locks)
  return locks
}

/** Returns the first lock of `held` that `locks` widens. `undefined` if no lock is widened. */
export function findWiderLock(held: Locks, locks: Locks): LockName | undefined {
  return lockNames.find((name) => {
    const [outer, inner] = [held[name], locks[name]]
    if (outer === undefined) return false
    return inner === undefined || ![inner].flat().every((value) => [outer].flat().includes(value))
  })
}

export function demandNoWider(held: Locks, locks: Locks): void {
  const name = findWiderLock(held, locks)
  if (name === undefined) return
  throw forbidden(
    `Your access is locked to ${name} ${[held[name]].flat().join(', ')}. Keys that you create must have the same lock.`,
  )
}
