import { Resolver } from 'node:dns'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'

/** A TCP port; 0 has the system choose one. */
export const port = z.coerce.number().int().min(0).max(65535)

/** `true` or `1`; `false`, `0` or nothing. */
export const flag = z.enum(['true', 'false', '1', '0', '']).transform((v) => v === 'true' || v === '1')

/** Milliseconds. */
export const ms = z.coerce.number().int().min(0)

/** Days for which something is kept. */
export const days = z.coerce.number().int().min(1).max(3650)

/** How many jobs of a pool one worker runs at once. */
export const concurrency = z.coerce.number().int().min(1).max(64)

/** A text that is not empty: a name, a path, a key. */
export const text = z.string().min(1)

/** The URL of an HTTP server. */
export const http = z.url({ protocol: /^https?$/, error: 'must be a URL: http://… or https://…' })

/** The URL of a Postgres database. */
export const postgres = z
  .url({ protocol: /^postgres(ql)?$/, error: 'must be a URL: postgres://user:password@host:port/database' })
  .refine((url) => !hostsOf(url).includes(','), 'must name one host; what follows the primary is in front of it')

/** What stands between the password and the path. */
const hostsOf = (url: string): string => url.split('/', 3)[2]?.split('@').at(-1) ?? ''

/** Values with commas between. */
export const list = z.string().transform((v) =>
  v
    .split(',')
    .map((s) => s.trim())
    .filter(Boolean),
)

/** IP addresses and CIDR ranges with commas between. */
export const ranges = list.refine(
  (all) => all.every((range) => isIP(range) !== 0 || (range.includes('/') && ipaddr.isValidCIDR(range))),
  'must be IP addresses or CIDR ranges, with commas between',
)

/** Addresses of DNS servers with commas between. */
export const resolvers = list.refine((servers) => {
  try {
    new Resolver().setServers(servers)
    return true
  } catch {
    return false
  }
}, 'must be addresses of DNS servers, each with :port if that is not 53')

/** `name=value,name=value`, the values encoded as in URLs. */
export const pairs = z
  .string()
  .regex(/^\s*([^=,\s]+\s*=[^,]*(,\s*|$))*$/, 'must be name=value,…')
  .transform((v) =>
    Object.fromEntries(
      [...v.matchAll(/(?<![^=,\s])([^=,\s]+)\s*=([^,]*)/g)].map(([, name, value]) => [
        name,
        decodeURIComponent(value ?? '').trim(),
      ]),
    ),
  )

/** Ports `first-last`; `endsOf` has the two. */
export const portRange = z
  .string()
  .regex(/^\d{1,5}-\d{1,5}$/, 'must be two ports: first-last')
  .refine((range) => {
    const [first, last] = endsOf(range)
    return first > 0 && first <= last && last <= 65535
  }, 'must be two ports from 1 to 65535, the smaller first')

/** The first and the last port of a range. */
export function endsOf(range: string): readonly [number, number] {
  const [first = 0, last = 0] = range.split('-').map(Number)
  return [first, last]
}
