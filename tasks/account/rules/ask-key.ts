import { createNetworkMatcher } from '#lib/network/network.ts'
import type { Key } from '#sql/account/keys.ts'
import { findRefusingLock, getLockRule, type LockName, type LockRules, lockNames, lockRefusal } from './locks.ts'
import { findMissing } from './scopes.ts'

export interface CheckedOperation {
  id: string
  /** Required scopes. `null` if no key is needed. */
  scope: string | readonly string[] | null
  site: boolean
  /** What test keys can access. If undefined, test keys are rejected. */
  testKeys?: 'sandbox' | 'shared' | undefined
  locks?: LockRules | undefined
}

export const testKeyRefusal = 'Test keys cannot use this operation: it has no test mode. Use a live key.'

export interface RequestFacts {
  from?: string | undefined
  app_id?: string | undefined
  site_id?: string | undefined
  tenant_id?: string | undefined
  origin?: string | undefined
  network?: string | undefined
}

export interface Refusal {
  kind: 'state' | 'public_key' | 'test_mode' | 'scope' | 'lock' | 'network'
  name: string
  message: string
}

/** The result, and the missing facts on which the result depends. */
export interface Verdict {
  allowed: boolean
  why: Refusal[]
  depends_on: (keyof RequestFacts)[]
}

/** The fact that a lock compares. A lock without a fact always rejects. */
const factOf: Partial<Record<LockName, keyof RequestFacts>> = {
  from_domains: 'from',
  app_id: 'app_id',
  site_id: 'site_id',
  origins: 'origin',
  tenant_id: 'tenant_id',
}

/** Returns all reasons for rejecting an operation for a key, without calling the operation. */
export function checkKey(key: Key, operation: CheckedOperation, facts: RequestFacts, now = new Date()): Verdict {
  if (operation.scope === null) return { allowed: true, why: [], depends_on: [] }
  const found = [
    ...ofState(key, now),
    ...ofScopes(key, operation, operation.scope),
    ...ofMode(key, operation),
    ...ofNetworks(key, facts),
    ...ofUnnamedLocks(key, operation),
    ...lockNames.flatMap((name) => ofLock(name, key.locks[name], operation, facts) ?? []),
  ]
  const why = found.filter((one) => typeof one === 'object')
  return { allowed: why.length === 0, why, depends_on: found.filter((one) => typeof one === 'string') }
}

function ofState({ revoked_at, expires_at }: Key, now: Date): Refusal[] {
  if (revoked_at) return [{ kind: 'state', name: 'revoked', message: 'The API key is revoked.' }]
  if (!expires_at || expires_at > now) return []
  return [{ kind: 'state', name: 'expired', message: 'The API key has expired.' }]
}

function ofScopes({ prefix, scopes }: Key, { site }: CheckedOperation, needed: string | readonly string[]): Refusal[] {
  const lacks = findMissing(scopes, needed).map((name) => ({
    kind: 'scope' as const,
    name,
    message: `The API key does not have the \`${name}\` scope.`,
  }))
  if (prefix !== 'bt_site_' || site) return lacks
  const message = 'A public key cannot call this operation. Use a server key.'
  return [{ kind: 'public_key', name: prefix, message }, ...lacks]
}

const ofMode = ({ mode }: Key, { testKeys }: CheckedOperation): Refusal[] =>
  mode === 'test' && !testKeys ? [{ kind: 'test_mode', name: mode, message: testKeyRefusal }] : []

function ofNetworks({ networks }: Key, { network }: RequestFacts): (Refusal | keyof RequestFacts)[] {
  if (!networks) return []
  if (network === undefined) return ['network']
  if (createNetworkMatcher(networks)(network)) return []
  return [{ kind: 'network', name: network, message: `The API key works only from ${networks.join(', ')}.` }]
}

/**
 * Returns a refusal for each lock of the key. An operation that does not declare locks rejects every key with a lock.
 */
function ofUnnamedLocks({ locks }: Key, operation: CheckedOperation): Refusal[] {
  const name = findRefusingLock(locks, operation.locks)
  return name ? [{ kind: 'lock', name, message: lockRefusal(name) }] : []
}

/** Returns the decision of a lock that the operation applies. If a fact is missing, returns the name of the fact. */
function ofLock(
  name: LockName,
  lock: Key['locks'][LockName],
  { locks }: CheckedOperation,
  facts: RequestFacts,
): Refusal | keyof RequestFacts | undefined {
  if (lock === undefined) return undefined
  if (getLockRule(locks, name) !== 'binds') return undefined
  const named = factOf[name]
  if (lock === false || named === undefined) return { kind: 'lock', name, message: lockRefusal(name) }
  const fact = facts[named]
  if (fact === undefined) return named
  const allowed = [lock].flat()
  if (allowed.includes(lockedPart(name, fact))) return undefined
  return { kind: 'lock', name, message: `The API key is locked to ${name} ${allowed.join(', ')}.` }
}

/** Returns the part of a fact that is compared. For an email address, its domain. */
const lockedPart = (name: LockName, fact: string): string =>
  name === 'from_domains'
    ? fact
        .slice(fact.lastIndexOf('@') + 1)
        .replace(/>$/, '')
        .toLowerCase()
    : fact
