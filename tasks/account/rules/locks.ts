import { forbidden, Problem } from '#lib/errors.ts'
import type { Locks } from '#sql/account/keys.ts'
import type { Scope } from './scopes.ts'

/** The name of a lock. */
export type LockName = keyof Locks

/** A lock to a part of the organisation. Origins bind all operations, and `calls` binds only those that place or end calls. */
export type PartLock = Exclude<LockName, 'origins' | 'calls'>

/**
 * The locks that an operation compares with what a request is about; other locks do not concern it. An operation without such a list
 * refuses keys that are locked to a part, as does one with the list `['calls']`.
 */
export type LockRules = readonly PartLock[] | readonly ['calls']

/** For operations on keys: a key reaches those that have its locks, or narrower ones. */
export const everyLock: readonly PartLock[] = ['from_domains', 'app_id', 'site_id', 'tenant_id']

/** Scopes of each lock: a key without one of them could never use what the lock restricts. */
export const scopesOfLock: Readonly<Record<LockName, readonly Scope[] | 'any'>> = {
  from_domains: ['email:send', 'email:manage', 'notify:write'],
  app_id: ['push:manage', 'push:receipt', 'push:send', 'push:subscribe', 'notify:write'],
  site_id: ['guard:challenge', 'guard:verify'],
  origins: 'any',
  tenant_id: ['files:read', 'files:write'],
  calls: ['voice:read', 'voice:call'],
}

/** The names of locks. */
export const lockNames = Object.keys(scopesOfLock) as LockName[]

/** What a lock does at an operation with these rules. */
export function ruleOf(rules: LockRules | undefined, name: LockName): 'binds' | 'free' | 'refuses' {
  if (name === 'origins') return 'binds'
  const bound: readonly LockName[] = rules ?? []
  if (name === 'calls') return bound.includes('calls') ? 'binds' : 'free'
  if (!rules || bound.includes('calls')) return 'refuses'
  return bound.includes(name) ? 'binds' : 'free'
}

/** The lock by which a key is refused an operation with these rules; undefined for none. */
export const refusingLock = (locks: Locks, rules: LockRules | undefined): LockName | undefined =>
  lockNames.find((name) => locks[name] !== undefined && ruleOf(rules, name) === 'refuses')

/** What a key is told that a lock refuses an operation. */
export const lockRefusal = (name: LockName): string =>
  name === 'calls'
    ? 'This key is locked by `calls: false`: it cannot place or end calls.'
    : `This key is locked by \`${name}\`. This operation is not limited to that part: use a key without this lock.`

/** Throws 400 for locks that restrict nothing that keys with these scopes may do. */
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

/** The locks of a key that somebody with `held` ones makes: those that are not named are taken over, none is wider. */
export function narrowed(held: Locks, wanted: Locks): Locks {
  const locks = { ...held, ...wanted }
  demandNoWider(held, locks)
  return locks
}

/** The lock of `held` that other locks leave more open; undefined where they do not. */
export function widerLock(held: Locks, locks: Locks): LockName | undefined {
  return lockNames.find((name) => {
    const [outer, inner] = [held[name], locks[name]]
    if (outer === undefined) return false
    return inner === undefined || ![inner].flat().every((value) => [outer].flat().includes(value))
  })
}

/** Throws 403 for locks that leave more open than those that are held. */
export function demandNoWider(held: Locks, locks: Locks): void {
  const name = widerLock(held, locks)
  if (name === undefined) return
  throw forbidden(
    `Your access is locked to ${name} ${[held[name]].flat().join(', ')}. Keys that you create must have the same lock.`,
  )
}
