import { Resolver } from 'node:dns/promises'
import ipaddr from 'ipaddr.js'
import { config } from '#lib/config.ts'
import { getDomain } from '#lib/email-address.ts'
import { type Check, type Finding, fault, well } from './finding.ts'

/** Timeout in milliseconds. It is shorter than the limit of a check, because each query is sent twice. */
const timeoutMs = 1_500

/**
 * Checks the DNS records of the sending IP addresses. Without such addresses, email uses a smarthost or the default
 * route of the host.
 */
export const mailChecks = (): Check[] => [
  { name: 'mail', todo: 'see ops/OPERATE.md, Set up email', look: async () => [await hostname(), ...postmaster()] },
  ...senders().map(({ address, name, pool }) => ({
    name: 'mail',
    todo: 'check that the DNS servers of this host respond (DNS_RESOLVERS)',
    look: () => sender(address, name, pool),
  })),
]

interface Sender {
  address: string
  name: string
  pool: string
}

function senders(): Sender[] {
  const { MAIL_TRANSACTIONAL_ADDRESSES: transactional, MAIL_CAMPAIGN_ADDRESSES: campaign } = config
  const of = (pool: string, pairs: string[]) =>
    pairs.map((pair) => {
      const [address = '', name = ''] = pair.split('=')
      return { address, name, pool }
    })
  return [...of('transactional', transactional), ...of('campaign', campaign)]
}

/** Checks whether the name of this installation resolves, because it is the MX of return paths. */
async function hostname(): Promise<Finding> {
  const { MAIL_HOSTNAME: name, MAIL_SMARTHOST: smarthost, MAIL_INBOUND_PORT: port } = config
  if (senders().length === 0 && name === 'localhost')
    return well(
      'mail',
      smarthost ? 'all email is sent through MAIL_SMARTHOST' : 'MAIL_HOSTNAME is not set: no email leaves this host',
    )
  const addresses = await addressesOf(name)
  if (addresses.length === 0)
    return fault(
      'mail',
      `MAIL_HOSTNAME ${name} has no IP address`,
      `publish an A or AAAA record for ${name}, the name that receives bounces`,
    )
  const inbound = port === undefined ? '; MAIL_INBOUND_PORT is not set, so bounces are not received' : ''
  return well('mail', `${name} is ${addresses.join(', ')}${inbound}; outbound port 25 is not checked`)
}

/** Checks the forwarding address. Email that is forwarded to this installation would loop, so it is not forwarded. */
function postmaster(): Finding[] {
  const { MAIL_POSTMASTER: to, MAIL_HOSTNAME: name } = config
  if (to === undefined || getDomain(to) !== name) return []
  return [
    fault(
      'mail',
      `MAIL_POSTMASTER is at ${name}, so email to it is not forwarded`,
      'set it to an email address at a different host',
    ),
  ]
}

async function sender(address: string, name: string, pool: string): Promise<Finding[]> {
  const about = `${address} (${pool})`
  return await Promise.all([
    pointer(address, name, about),
    forward(address, name, about),
    ...config.MAIL_DNSBL.map((zone) => listing(address, zone, about)),
  ])
}

/** Checks whether the PTR record is the greeting name. If it is not, many servers reject email. */
async function pointer(address: string, name: string, about: string): Promise<Finding> {
  const names = (await ask((resolver) => resolver.reverse(address))).map((one) => one.toLowerCase().replace(/\.$/, ''))
  if (names.includes(name)) return well('mail', `${about} has the PTR record ${name}`)
  const found = names.length > 0 ? `has the PTR record ${names.join(', ')}, not ${name}` : 'has no PTR record'
  return fault('mail', `${about} ${found}`, `ask the provider of this IP address to set its PTR record to ${name}`)
}

/** Checks whether the name resolves to the IP address (forward-confirmed reverse DNS). */
async function forward(address: string, name: string, about: string): Promise<Finding> {
  const addresses = await addressesOf(name)
  if (addresses.some((one) => isSame(one, address)))
    return well('mail', `${about} greets as ${name}, which resolves to that IP address`)
  const found = addresses.length > 0 ? `resolves to ${addresses.join(', ')}` : 'has no IP address'
  return fault(
    'mail',
    `${about} greets as ${name}, which ${found}`,
    `publish an A or AAAA record for ${name} with ${address}`,
  )
}

/** Checks whether a DNS block list contains the IP address (RFC 5782). */
async function listing(address: string, zone: string, about: string): Promise<Finding> {
  const codes = await ask((resolver) => resolver.resolve4(`${reversed(address)}.${zone}`)).catch(
    (error: Error) => error,
  )
  if (codes instanceof Error) return well('mail', `${about}: ${zone} did not respond (${codes.message})`)
  // Codes in 127.255.255.0/24 are about the query: an open resolver, or too many queries.
  const listed = codes.filter((code) => code.startsWith('127.') && !code.startsWith('127.255.255.'))
  if (listed.length > 0)
    return fault(
      'mail',
      `${about} is listed at ${zone} (${listed.join(', ')})`,
      'see the reason on the website of the list, fix it, then request removal',
    )
  const refused = codes.length > 0 ? ', which rejects queries from this DNS server' : ''
  return well('mail', `${about} is not listed at ${zone}${refused}`)
}

/**
 * Returns the address as labels for the zone of a list: reversed octets, or nibbles for IPv6 (RFC 5782 §2.1 and §2.4).
 */
function reversed(address: string): string {
  const parsed = ipaddr.process(address)
  const labels =
    parsed.kind() === 'ipv4'
      ? parsed.toString().split('.')
      : [
          ...parsed
            .toByteArray()
            .map((byte) => byte.toString(16).padStart(2, '0'))
            .join(''),
        ]
  return labels.reverse().join('.')
}

const isSame = (a: string, b: string): boolean => ipaddr.process(a).toString() === ipaddr.process(b).toString()

async function addressesOf(name: string): Promise<string[]> {
  const [v4, v6] = await Promise.all([
    ask((resolver) => resolver.resolve4(name)),
    ask((resolver) => resolver.resolve6(name)).catch(() => []),
  ])
  return [...v4, ...v6]
}

/** Returns the response of DNS, or an empty list if the name or record does not exist. */
async function ask(query: (resolver: Resolver) => Promise<string[]>): Promise<string[]> {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 })
  if (config.DNS_RESOLVERS.length > 0) resolver.setServers(config.DNS_RESOLVERS)
  try {
    return await query(resolver)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENODATA' || code === 'ENOTFOUND') return []
    throw error
  }
}
