import type { Resolver } from 'node:dns/promises'
import type { OutboundClient } from '#lib/http.ts'

export interface Policy {
  mode: 'enforce' | 'testing' | 'none'
  /** Host names. `*.` stands for exactly one label. */
  mx: readonly string[]
}

interface CachedPolicy {
  id: string
  policy: Policy
  /** Expiry time, as a value of `performance.now()`. */
  until: number
}

/** Maximum size of a policy in bytes (64 KiB), and its maximum lifetime in milliseconds (one year) (RFC 8461 §3.2). */
const mostBytes = 65_536
const longestMs = 31_557_600_000
const fetchMs = 15_000
/** Time to live in milliseconds of a domain's record, and maximum number of cached domains. */
const freshMs = 300_000
const most = 20_000

export class StsPolicies {
  readonly #resolver: Pick<Resolver, 'resolveTxt'>
  readonly #outbound: Pick<OutboundClient, 'request'>
  readonly #kept = new Map<string, CachedPolicy>()
  readonly #asked = new Map<string, { policy: Promise<Policy | null>; until: number }>()

  constructor(resolver: Pick<Resolver, 'resolveTxt'>, outbound: Pick<OutboundClient, 'request'>) {
    this.#resolver = resolver
    this.#outbound = outbound
  }

  /** Returns the policy of a domain, or null if it has no policy and no cached policy is valid. */
  async find(domain: string): Promise<Policy | null> {
    const asked = this.#asked.get(domain)
    if (asked && asked.until > performance.now()) return await asked.policy
    const policy = this.#find(domain)
    trim(this.#asked)
    this.#asked.set(domain, { policy, until: performance.now() + freshMs })
    return await policy
  }

  async #find(domain: string): Promise<Policy | null> {
    const kept = this.#kept.get(domain)
    const still = kept && kept.until > performance.now() ? kept : undefined
    const id = await this.#idOf(domain)
    // A missing or unavailable record does not end a valid policy (RFC 8461 §5.1).
    if (id === null || id === still?.id) return still?.policy ?? null
    const fetched = await this.#fetch(domain).catch(() => null)
    if (!fetched) return still?.policy ?? null
    trim(this.#kept)
    this.#kept.set(domain, { id, policy: fetched.policy, until: performance.now() + fetched.maxAgeMs })
    return fetched.policy
  }

  async #idOf(domain: string): Promise<string | null> {
    const records = await this.#resolver.resolveTxt(`_mta-sts.${domain}`).catch(() => [])
    const texts = records.map((pieces) => pieces.join('')).filter((text) => text.startsWith('v=STSv1;'))
    return texts.length === 1 ? (/;\s*id=([A-Za-z0-9]{1,32})\s*(?:;|$)/.exec(texts[0] as string)?.[1] ?? null) : null
  }

  async #fetch(domain: string): Promise<{ policy: Policy; maxAgeMs: number } | null> {
    const url = `https://mta-sts.${domain}/.well-known/mta-sts.txt`
    const { status, body } = await this.#outbound.request(url, { timeout: fetchMs, maxBytes: mostBytes, redirects: 0 })
    return status === 200 ? readPolicy(body.toString('utf8')) : null
  }
}

function trim(map: Map<string, unknown>): void {
  if (map.size >= most) map.delete(map.keys().next().value as string)
}

/** Parses a policy (RFC 8461 §3.2). Returns null if it is invalid. */
export function readPolicy(text: string): { policy: Policy; maxAgeMs: number } | null {
  const fields = text.split(/\r?\n/).flatMap((line) => {
    const [, name, value] = /^([A-Za-z0-9_.-]+)\s*:(.*)$/.exec(line) ?? []
    return name !== undefined && value !== undefined ? [[name, value.trim()] as const] : []
  })
  const one = (wanted: string) => fields.find(([name]) => name === wanted)?.[1]
  const mode = one('mode')
  const maxAge = Number(one('max_age'))
  const mx = fields.filter(([name]) => name === 'mx').map(([, value]) => value.toLowerCase())
  if (one('version') !== 'STSv1' || !Number.isInteger(maxAge) || maxAge < 0) return null
  if (mode !== 'enforce' && mode !== 'testing' && mode !== 'none') return null
  if (mode !== 'none' && mx.length === 0) return null
  return { policy: { mode, mx }, maxAgeMs: Math.min(maxAge * 1_000, longestMs) }
}

/** RFC 8461 §4.1. */
export const matches = ({ mx }: Policy, host: string): boolean =>
  mx.some(
    (pattern) => pattern === host || (pattern.startsWith('*.') && host.slice(host.indexOf('.')) === pattern.slice(1)),
  )
