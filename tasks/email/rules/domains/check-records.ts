import { getDomain } from 'tldts'
import { config } from '#lib/config.ts'
import { createDns, type Dns, LookupFailedError } from '#lib/network/dns.ts'
import { toStorableText } from '#lib/outside-text.ts'
import type { Check, DkimKey } from '#sql/email/domains.ts'
import { checkKeyRecord } from './dkim-record.ts'
import { type DomainNames, getKeyRecordKind, keyName, type RecordKind, spfInclude } from './records.ts'
import { checkSpf } from './spf-record.ts'
import { readTags } from './tags.ts'
import { checkTrackingHost } from './tracking-host.ts'
import { createZoneDns, type ZoneDns } from './zone-dns.ts'

export type Checks = Partial<Record<RecordKind, Check>>

/** Records of the domain are looked up at its own name servers, other records with a resolver. */
export interface Lookups {
  zone(): ZoneDns
  resolver: Dns
}

export const configuredLookups = (): Lookups => ({ zone: () => createZoneDns(), resolver: createDns() })

/** Timeout in milliseconds, because a caller may be waiting. Unfinished checks become `unknown`. */
const maxMs = 20_000

const tooLong: Check = { state: 'unknown', found: 'The name servers did not respond in time.' }

export async function checkRecords(
  { domain, return_path, tracking_host = null }: DomainNames,
  keys: readonly Pick<DkimKey, 'selector' | 'algorithm' | 'public_key'>[],
  lookups: Lookups,
): Promise<Checks> {
  const { resolver } = lookups
  const zone = lookups.zone()
  const { promise: late, resolve } = Promise.withResolvers<Check>()
  const timer = setTimeout(() => resolve(tooLong), maxMs)
  // Uses the resolver, because SPF includes names of other domains.
  const dns = { texts: resolver.texts, addresses: resolver.addresses, mailServers: resolver.mailServers }
  const spf = (name: string) => unlessUnknown(async () => checkSpf(await zone.texts(name), name, spfInclude(), dns))
  const asked: [RecordKind, Promise<Check>][] = [
    ...keys.map((key): [RecordKind, Promise<Check>] => {
      const name = keyName(domain, key.selector)
      return [getKeyRecordKind(key), unlessUnknown(async () => checkKeyRecord(await zone.texts(name), key))]
    }),
    ['return_path_mx', unlessUnknown(async () => checkMx(await zone.mailServers(return_path)))],
    ['return_path_spf', spf(return_path)],
    ['spf', spf(domain)],
    ['dmarc', unlessUnknown(() => checkDmarc(domain, zone))],
    ...(tracking_host === null
      ? []
      : [['tracking_host', checkTrackingHost(tracking_host, lookups)] satisfies [RecordKind, Promise<Check>]]),
  ]
  const inTime = asked.map(async ([kind, check]) => [kind, await Promise.race([check, late])] as const)
  return Object.fromEntries(await Promise.all(inTime).finally(() => clearTimeout(timer)))
}

export async function checkInboundMx(host: string, { zone }: Lookups): Promise<Check> {
  const { promise: late, resolve } = Promise.withResolvers<Check>()
  const timer = setTimeout(() => resolve(tooLong), maxMs)
  const check = unlessUnknown(async () => checkMx(await zone().mailServers(host)))
  return await Promise.race([check, late]).finally(() => clearTimeout(timer))
}

/** Returns `unknown` if the name servers fail, because the record itself may be correct. */
async function unlessUnknown(check: () => Promise<Check>): Promise<Check> {
  try {
    return await check()
  } catch (error) {
    if (error instanceof LookupFailedError) return { state: 'unknown', found: error.message }
    throw error
  }
}

/** Checks the most preferred host, because all bounces go to it as long as it responds. */
function checkMx(found: Awaited<ReturnType<ZoneDns['mailServers']>>): Check {
  const [first] = found
  if (!first) return { state: 'missing', found: null }
  const hosts = found.map(({ priority, exchange }) => `${priority} ${exchange || '.'}`)
  const text = toStorableText(hosts.join(', '), 500)
  const best = found.filter(({ priority }) => priority === first.priority)
  const isOurs = best.every(({ exchange }) => exchange.toLowerCase().replace(/\.$/, '') === config.MAIL_HOSTNAME)
  return { state: isOurs ? 'found' : 'different', found: text }
}

/** Uses the policy of the domain or, if missing, of its organisational domain (RFC 7489 §6.6.3). */
async function checkDmarc(domain: string, zone: ZoneDns): Promise<Check> {
  const parent = getDomain(domain, { allowPrivateDomains: true }) ?? domain
  for (const name of new Set([domain, parent])) {
    const records = (await zone.texts(`_dmarc.${name}`)).filter((text) => /^v\s*=\s*DMARC1\s*(;|$)/.test(text))
    const [text, ...more] = records
    if (text === undefined) continue
    const found = toStorableText(records.join(' | '), 500)
    const policy = readTags(text)?.get('p')?.toLowerCase() ?? ''
    const isSound = more.length === 0 && ['none', 'quarantine', 'reject'].includes(policy)
    return { state: isSound ? 'found' : 'different', found }
  }
  return { state: 'missing', found: null }
}
