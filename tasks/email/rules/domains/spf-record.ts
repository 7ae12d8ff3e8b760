import { type Dns, LookupFailedError } from '#lib/network/dns.ts'
import { toStorableText } from '#lib/outside-text.ts'
import type { Check } from '#sql/email/domains.ts'

/** Maximum number of DNS lookups of a record, and of lookups without a result (RFC 7208 §4.6.4). */
const [maxLookups, maxVoid] = [10, 2]

class SpfFault extends Error {
  override name = 'SpfFault'
}

interface Walk {
  dns: Pick<Dns, 'texts' | 'addresses' | 'mailServers'>
  wanted: string
  lookups: number
  nothing: number
}

/** Names of services may begin with an underscore. */
const isHost = (text: string) => text.length <= 253 && /^([a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}\.?$/.test(text)

const isSpf = (text: string) => /^v=spf1( |$)/i.test(text)

/** Checks that exactly one SPF record exists, is valid, and includes the required host. */
export async function checkSpf(
  texts: readonly string[],
  name: string,
  wanted: string,
  dns: Walk['dns'],
): Promise<Check> {
  const records = texts.filter(isSpf)
  if (records.length === 0) return { state: 'missing', found: null }
  const found = toStorableText(records.join(' | '), 500)
  const different = (why: string): Check => ({ state: 'different', found: `${why} Found: ${found}` })
  if (records.length > 1) return different('Only one record that starts with v=spf1 is allowed.')
  try {
    const passes = await includes(records[0] as string, name, { dns, wanted, lookups: 0, nothing: 0 })
    return passes ? { state: 'found', found } : different(`The record must contain include:${wanted} before its all.`)
  } catch (error) {
    if (error instanceof SpfFault) return different(error.message)
    if (error instanceof LookupFailedError) return { state: 'unknown', found: error.message }
    throw error
  }
}

/**
 * True if the evaluation of a record reaches the required include. Terms are evaluated in order, the first match ends
 * the evaluation, and terms after `all` are ignored (RFC 7208 §4.6.2, §5.1).
 */
async function includes(record: string, at: string, walk: Walk): Promise<boolean> {
  const terms = record.trim().toLowerCase().split(/ +/).slice(1)
  for (const term of terms) {
    const [, qualifier = '', mechanism = '', value] = /^([+?~-]?)([a-z0-9]+)(?:[:/](.*))?$/.exec(term) ?? []
    if (/^[a-z][\w.-]*=/.test(term)) continue
    if (mechanism === 'all') return false
    if (await matches(mechanism, term, value, at, walk)) return qualifier === '' || qualifier === '+'
  }
  const redirect = terms.find((term) => term.startsWith('redirect='))?.slice('redirect='.length)
  return redirect !== undefined && (await follow(redirect, walk))
}

/** Counts the lookups of a mechanism. Returns true if the mechanism leads to the required include. */
async function matches(mechanism: string, term: string, value: string | undefined, at: string, walk: Walk) {
  switch (mechanism) {
    case 'include':
      if (!value) throw new SpfFault(`The term ${term} must name a host.`)
      return await follow(value, walk)
    case 'a':
    case 'mx': {
      take(walk)
      const [host = ''] = term.includes(':') ? (value ?? '').split('/') : [at]
      if (host.includes('%')) return false
      if (!isHost(host)) throw new SpfFault(`The term ${toStorableText(term, 60)} must name a host.`)
      const found = mechanism === 'a' ? walk.dns.addresses(host) : walk.dns.mailServers(host)
      if ((await found).length === 0) notFound(walk)
      return false
    }
    case 'ptr':
    case 'exists':
      take(walk)
      return false
    case 'ip4':
    case 'ip6':
      return false
    default:
      throw new SpfFault(`The term ${toStorableText(term, 60)} is not an SPF term.`)
  }
}

/** Continues in the record of another name. Macros (RFC 7208 §7) depend on the message and cannot be followed. */
async function follow(host: string, walk: Walk): Promise<boolean> {
  take(walk)
  // The operator of this installation maintains this record.
  if (host.replace(/\.$/, '') === walk.wanted) return true
  if (host.includes('%')) return false
  if (!isHost(host)) throw new SpfFault(`The record includes ${toStorableText(host, 60)}, which is not a host name.`)
  const records = (await walk.dns.texts(host.replace(/\.$/, ''))).filter(isSpf)
  if (records.length === 0) throw new SpfFault(`The record includes ${host}, which has no SPF record.`)
  if (records.length > 1) throw new SpfFault(`The record includes ${host}, which has several SPF records.`)
  return await includes(records[0] as string, host, walk)
}

function take(walk: Walk): void {
  walk.lookups++
  if (walk.lookups > maxLookups) throw new SpfFault(`The record needs more than ${maxLookups} DNS lookups.`)
}

function notFound(walk: Walk): void {
  walk.nothing++
  if (walk.nothing > maxVoid) throw new SpfFault(`More than ${maxVoid} of the names in the record do not exist.`)
}
