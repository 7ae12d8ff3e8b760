import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import type { SecureContext } from 'node:tls'
import ipaddr from 'ipaddr.js'
import { buildConnector } from 'undici'
import { isPublic } from './public-address.ts'

/** Why a request to an address that a customer gave was not made, or not finished. */
export const outboundFaults = [
  'bad_url',
  'address_refused',
  'port_refused',
  'unresolved',
  'timed_out',
  'too_large',
  'too_many_redirects',
  'bad_encoding',
  'connection_failed',
] as const

/** One of those reasons. */
export type OutboundFault = (typeof outboundFaults)[number]

/** A request to an address that a customer gave failed; `message` may be shown to that customer. */
export class OutboundError extends Error {
  override name = 'OutboundError'
  readonly code: OutboundFault
  /** The code that the customer may be shown: of a name, it never tells whether and to what it resolves here. */
  readonly shown: OutboundFault

  constructor(code: OutboundFault, message: string, cause?: unknown, shown = code) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.shown = shown
  }
}

/** What may be reached beside public addresses on the usual ports. */
export interface AddressRules {
  /** CIDR ranges that are reached although they are not public, such as a receiver on the platform's own network, on any port. */
  allowed: readonly string[]
  /** Ports of public addresses. */
  ports: readonly number[]
  /** Resolves names; the system's resolver unless said. */
  lookup?: typeof systemLookup
  /** What is trusted in TLS; what Node trusts unless said. */
  secureContext?: SecureContext
}

/** Decides which addresses may be reached, and connects to no other. */
export interface AddressGuard {
  /** Throws an `OutboundError` for a URL that is not HTTP, carries credentials, or names a refused port or address. */
  checkUrl(url: URL): void
  connector: buildConnector.connector
}

const connectMs = 10_000

/**
 * Guards against server-side request forgery (CWE-918): a literal is checked before connecting, as `lookup` is not called
 * for one; each resolved address is checked; and the connected peer once more.
 */
export function guardAddresses(rules: AddressRules): AddressGuard {
  const isAllowed = within(rules.allowed)
  const resolve = rules.lookup ?? systemLookup

  function check(text: string, port: number): void {
    const address = ipaddr.process(text.split('%')[0] as string)
    if (isAllowed(address)) return
    if (!isPublic(address)) throw refused(text)
    if (!rules.ports.includes(port)) throw portRefused(rules, port)
  }

  /** Resolves a name for a connection, to addresses that may all be reached. */
  const lookupFor = (port: number): LookupFunction => {
    const answer = (error: Error | null, addresses: LookupAddress[]) => {
      if (error || addresses.length === 0) throw new OutboundError('unresolved', 'It does not resolve.', error)
      for (const { address } of addresses) check(address, port)
      return addresses
    }
    return (hostname, options, done) =>
      resolve(hostname, { ...options, all: true }, (error, addresses) => {
        try {
          const [first, ...more] = answer(error, addresses)
          if (options.all || !first) done(null, first ? [first, ...more] : [])
          else done(null, first.address, first.family)
        } catch (fault) {
          done(faultOfName(rules, hostname, port, fault), '', 0)
        }
      })
  }

  return {
    checkUrl(url) {
      if (url.protocol !== 'http:' && url.protocol !== 'https:') {
        throw new OutboundError('bad_url', `${url.protocol} is neither http: nor https:.`)
      }
      if (url.username || url.password) throw new OutboundError('bad_url', 'A URL with credentials is not requested.')
      const host = bare(url.hostname)
      if (isIP(host)) check(host, portOf(url))
    },
    connector(options, done) {
      const port = Number(options.port) || (options.protocol === 'https:' ? 443 : 80)
      const connect = buildConnector({
        timeout: connectMs,
        lookup: lookupFor(port),
        ...(rules.secureContext && { secureContext: rules.secureContext }),
      } as buildConnector.BuildOptions)
      connect(options, (...[error, socket]) => {
        if (error) return done(error, null)
        try {
          check(socket.remoteAddress ?? '', port)
          done(null, socket)
        } catch (fault) {
          socket.destroy()
          done(fault as Error, null)
        }
      })
    },
  }
}

const portRefused = ({ ports }: AddressRules, port: number) =>
  new OutboundError('port_refused', `Port ${port} may not be reached; allowed: ${ports.join(', ')}.`)

/** A fault of a name: it is told alike, whether the name is unknown, of the own network, or public and asked on another port. */
function faultOfName(rules: AddressRules, hostname: string, port: number, fault: unknown): Error {
  if (!(fault instanceof OutboundError)) return fault as Error
  const wording = rules.ports.includes(port)
    ? new OutboundError('unresolved', `${hostname} does not resolve to a public address.`)
    : portRefused(rules, port)
  return new OutboundError(fault.code, wording.message, fault.cause, wording.code)
}

/** Tells whether an address is public, or in one of the allowed CIDR ranges. */
export function reachable(allowed: readonly string[]): (text: string) => boolean {
  const isAllowed = within(allowed)
  return (text) => {
    const address = ipaddr.process(text)
    return isAllowed(address) || isPublic(address)
  }
}

function within(cidrs: readonly string[]): (address: ReturnType<typeof ipaddr.process>) => boolean {
  const ranges = cidrs.map((cidr) => ipaddr.parseCIDR(cidr.includes('/') ? cidr : hostRange(cidr)))
  return (address) => ranges.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits))
}

const refused = (address: string) =>
  new OutboundError('address_refused', `${address} is not a public address and may not be reached.`)

const hostRange = (address: string) => `${address}/${address.includes(':') ? 128 : 32}`
const bare = (hostname: string) => hostname.replace(/^\[|\]$/g, '')
const portOf = (url: URL) => Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
