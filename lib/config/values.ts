import { Resolver } from 'node:dns'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'

export const port = z.coerce.number().int().min(0).max(65535)

/** Schema of a flag. True for `true` or `1`. False for `false`, `0` or an empty value. */
export const flag = z.enum(['true', 'false', '1', '0', '']).transform((v) => v === 'true' || v === '1')

export const ms = z.coerce.number().int().min(0)

export const days = z.coerce.number().int().min(1).max(3650)

export const concurrency = z.coerce.number().int().min(1).max(64)

export const text = z.string().min(1)

export const http = z.url({ protocol: /^https?$/, error: 'must be a URL: http://… or https://…' })

export const postgres = z
  .url({ protocol: /^postgres(ql)?$/, error: 'must be a URL: postgres://user:password@host:port/database' })
  .refine(
    (url) => !hostsOf(url).includes(','),
    'must name one host. A failover proxy in front of Postgres must follow the primary',
  )

const hostsOf = (url: string): string => url.split('/', 3)[2]?.split('@').at(-1) ?? ''

export const list = z.string().transform((v) =>
  v
    .split(',')
    .map((s) => s.trim())
    .filter(Boolean),
)

export const ranges = list.refine(
  (all) => all.every((range) => isIP(range) !== 0 || (range.includes('/') && ipaddr.isValidCIDR(range))),
  'must be IP addresses or CIDR ranges, separated by commas',
)

export const resolvers = list.refine((servers) => {
  try {
    new Resolver().setServers(servers)
    return true
  } catch {
    return false
  }
}, 'must be IP addresses of DNS servers, each with :port if that is not 53')

/** Schema of `name=value,name=value` pairs with URL-encoded values. */
export const pairs = z
  .string()
  .regex(/^\s*([^=,\s]+\s*=[^,]*(,\s*|$))*$/, 'must be name=value pairs, separated by commas')
  .transform((v) =>
    Object.fromEntries(
      [...v.matchAll(/(?<![^=,\s])([^=,\s]+)\s*=([^,]*)/g)].map(([, name, value]) => [
        name,
        decodeURIComponent(value ?? '').trim(),
      ]),
    ),
  )

/** Schema of a port range in the form `first-last`. */
export const portRange = z
  .string()
  .regex(/^\d{1,5}-\d{1,5}$/, 'must be two ports: first-last')
  .refine((range) => {
    const [first, last] = parsePortRange(range)
    return first > 0 && first <= last && last <= 65535
  }, 'must be two ports from 1 to 65535, the smaller first')

export function parsePortRange(range: string): readonly [number, number] {
  const [first = 0, last = 0] = range.split('-').map(Number)
  return [first, last]
}
