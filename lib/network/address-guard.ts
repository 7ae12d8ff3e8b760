import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import type { SecureContext } from 'node:tls'
import ipaddr from 'ipaddr.js'
import { buildConnector } from 'undici'
import { isPublic } from './public-address.ts'

/** Reasons why a request to a customer’s URL was not sent or not completed. */
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

export type OutboundFault = (typeof outboundFaults)[number]

/** Thrown if a request to a customer’s URL failed. `message` can be shown to the customer. */
export class OutboundError extends Error {
  override name = 'OutboundError'
  readonly code: OutboundFault
  /**
   * Error code for the customer. For a host name, the code does not reveal whether the name resolves here or to which
   * IP address.
   */
  readonly shown: OutboundFault

  constructor(code: OutboundFault, message: string, cause?: unknown, shown = code) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.shown = shown
  }
}

export interface AddressRules {
  /**
   * CIDR ranges that can be reached on any port although they are not public. For example, the network of a receiver
   * that the operator runs.
   */
  allowed: readonly string[]
  ports: readonly number[]
  lookup?: typeof systemLookup
  secureContext?: SecureContext
}

export interface AddressGuard {
  /** Throws an `OutboundError` if the URL is not HTTP, contains credentials, or its port or address is not allowed. */
  checkUrl(url: URL): void
  connector: buildConnector.connector
}

const connectMs = 10_000

/**
 * Prevents server-side request forgery (CWE-918). Checks IP addresses in URLs before the connection, because Node does
 * not call `lookup` for them. Checks every resolved address, and then the address of the connected peer.
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

  /** Returns a function that resolves a name. It throws if one of the name’s addresses is not allowed. */
  const lookupFor = (port: number): LookupFunction => {
    const answer = (error: Error | null, addresses: LookupAddress[]) => {
      if (error || addresses.length === 0)
        throw new OutboundError('unresolved', 'The host name does not resolve.', error)
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
        throw new OutboundError('bad_url', `The URL must start with http: or https:, not ${url.protocol}.`)
      }
      if (url.username || url.password) throw new OutboundError('bad_url', 'The URL must not contain credentials.')
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
  new OutboundError('port_refused', `Port ${port} is not allowed. Allowed ports: ${ports.join(', ')}.`)

/**
 * Returns the error for a host name. Unknown names, names in the internal network, and public names with a port that is
 * not allowed all get the same error.
 */
function faultOfName(rules: AddressRules, hostname: string, port: number, fault: unknown): Error {
  if (!(fault instanceof OutboundError)) return fault as Error
  const wording = rules.ports.includes(port)
    ? new OutboundError('unresolved', `${hostname} does not resolve to a public address.`)
    : portRefused(rules, port)
  return new OutboundError(fault.code, wording.message, fault.cause, wording.code)
}

export function createReachableCheck(allowed: readonly string[]): (text: string) => boolean {
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
  new OutboundError('address_refused', `${address} is not a public address. Only public addresses are allowed.`)

const hostRange = (address: string) => `${address}/${address.includes(':') ? 128 : 32}`
const bare = (hostname: string) => hostname.replace(/^\[|\]$/g, '')
const portOf = (url: URL) => Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
