import { within } from '#lib/network.ts'
import type { Key } from '#sql/account/keys.ts'
import { bindings, type LockName, lockNames, names } from './locks.ts'
import { missingOf } from './scopes.ts'

/** An operation, as far as a key decides who may call it. */
export interface Asked {
  id: string
  /** The scopes it takes; null for one that needs no key. */
  scope: string | readonly string[] | null
  /** Whether public keys may call it. */
  site: boolean
}

/** What a request would be about. */
export interface Facts {
  /** The address or domain that mail would come from. */
  from?: string | undefined
  app_id?: string | undefined
  site_id?: string | undefined
  tenant_id?: string | undefined
  origin?: string | undefined
  /** The client's address. */
  network?: string | undefined
}

/** Something by which a request would be refused. */
export interface Refusal {
  kind: 'state' | 'public_key' | 'scope' | 'lock' | 'network'
  name: string
  message: string
}

/** What a key would be told, and by which facts that are not given it depends. */
export interface Verdict {
  allowed: boolean
  why: Refusal[]
  depends_on: (keyof Facts)[]
}

/** The fact by which a lock decides; a lock without one refuses alone. */
const factOf: Partial<Record<LockName, keyof Facts>> = {
  from_domains: 'from',
  app_id: 'app_id',
  site_id: 'site_id',
  origins: 'origin',
  tenant_id: 'tenant_id',
}

/** What would refuse a key an operation, all of it at once, without calling it. */
export function askKey(key: Key, operation: Asked, facts: Facts, now = new Date()): Verdict {
  if (operation.scope === null) return { allowed: true, why: [], depends_on: [] }
  const found = [
    ...ofState(key, now),
    ...ofScopes(key, operation, operation.scope),
    ...ofNetworks(key, facts),
    ...lockNames.flatMap((name) => ofLock(name, key.locks[name], operation, facts) ?? []),
  ]
  const why = found.filter((one) => typeof one === 'object')
  return { allowed: why.length === 0, why, depends_on: found.filter((one) => typeof one === 'string') }
}

function ofState({ revoked_at, expires_at }: Key, now: Date): Refusal[] {
  if (revoked_at) return [{ kind: 'state', name: 'revoked', message: 'The key is revoked.' }]
  if (!expires_at || expires_at > now) return []
  return [{ kind: 'state', name: 'expired', message: 'The key has expired.' }]
}

function ofScopes({ prefix, scopes }: Key, { site }: Asked, needed: string | readonly string[]): Refusal[] {
  const lacks = missingOf(scopes, needed).map((name) => ({
    kind: 'scope' as const,
    name,
    message: `The key lacks the scope \`${name}\`.`,
  }))
  if (prefix !== 'bt_site_' || site) return lacks
  const message = 'A public key may not do this; it takes a server key.'
  return [{ kind: 'public_key', name: prefix, message }, ...lacks]
}

function ofNetworks({ networks }: Key, { network }: Facts): (Refusal | keyof Facts)[] {
  if (!networks) return []
  if (network === undefined) return ['network']
  if (within(networks)(network)) return []
  return [{ kind: 'network', name: network, message: `The key may be used from ${networks.join(', ')} alone.` }]
}

/** What a lock says of an operation that it binds; the fact by which it decides when that is not given. */
function ofLock(
  name: LockName,
  lock: Key['locks'][LockName],
  { id }: Asked,
  facts: Facts,
): Refusal | keyof Facts | undefined {
  if (lock === undefined) return undefined
  const { binds, refuses } = bindings[name]
  const isIn = (patterns: readonly string[]) => patterns.some((pattern) => names(pattern, id))
  if (isIn(refuses)) {
    return { kind: 'lock', name, message: `The key is locked by \`${name}\`, and this concerns more than that.` }
  }
  const asked = factOf[name]
  if (lock === false || asked === undefined || !isIn(binds)) return undefined
  const fact = facts[asked]
  if (fact === undefined) return asked
  const allowed = [lock].flat()
  if (allowed.includes(lockedPart(name, fact))) return undefined
  return { kind: 'lock', name, message: `The key is locked to ${name} ${allowed.join(', ')}.` }
}

/** What of a fact a lock names: of an address its domain. */
const lockedPart = (name: LockName, fact: string): string =>
  name === 'from_domains'
    ? fact
        .slice(fact.lastIndexOf('@') + 1)
        .replace(/>$/, '')
        .toLowerCase()
    : fact
