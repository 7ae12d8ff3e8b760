import type { Caller } from '#sql/account/keys.ts'
import * as plans from '#sql/account/plans.ts'
import type { Operation } from '../area.ts'
import type { RouteLimit } from '../route-facts.ts'
import type { UploadToken } from '../upload-tokens.ts'

export interface Bucket {
  name: string
  quota: number
  windowMs: number
  /** Name of the limit in errors: the limit of the plan, or the operation if it has a separate limit. */
  limit: string
  visitors?: true
}

const rates = plans.limitNames.flatMap((name) => {
  const { rate }: plans.PlanLimit = plans.limits[name]
  return rate ? [{ name, ...rate }] : []
})

/**
 * Returns the buckets of a call. A call with a server key uses the key’s buckets per second and per minute, and the
 * organisation’s bucket per minute. A call with a public key uses the buckets per minute of the visitor and of the key.
 * All calls also use the limits of the key and its parent keys, and the route’s limit. So visitors never use the quota
 * of servers.
 */
export function getBuckets(
  operation: Operation,
  caller: Caller | undefined,
  ip: string,
  upload?: UploadToken,
  limitedAs?: string,
): Bucket[] {
  const { limit } = operation.route
  if (limit === false) return []
  const own = limit ? [ownBucket(operation.id, limit, caller, ip, limitedAs)] : []
  const others = limit?.alone ? [] : bucketsOfCaller(caller, ip, upload)
  return [...others, ...own].filter(({ quota }) => quota < plans.uncountedRequests)
}

/** Returns the buckets that all operations of a caller use. */
function bucketsOfCaller(caller: Caller | undefined, ip: string, upload: UploadToken | undefined): Bucket[] {
  const buckets: Bucket[] = []
  if (upload) buckets.push(uploadBucket(upload))
  else if (caller) {
    const visitor = isPublic(caller)
    const owners = visitor
      ? { visitor: `${caller.key.id}:${getClientNetwork(ip)}`, site: caller.key.id }
      : { key: caller.key.id, org: caller.org.id }
    for (const { name, bucket, by, windowMs } of rates) {
      const owner = (owners as Partial<Record<typeof by, string>>)[by]
      if (owner === undefined) continue
      const own = by === 'visitor' ? { visitors: true as const } : {}
      buckets.push({ name: `${bucket}:${owner}`, quota: caller.plan[name], windowMs, limit: name, ...own })
    }
  }
  if (caller) buckets.push(...ratesOf(caller))
  return buckets
}

const ratesOf = ({ key }: Caller): Bucket[] =>
  [key, ...key.makers].flatMap(({ id, rate_per_minute: quota }) =>
    quota ? [{ name: `own:${id}`, quota, windowMs: 60_000, limit: 'rate_per_minute' }] : [],
  )

/**
 * Limits requests per minute of one upload token. 600 parts of 5 MiB per minute are 50 MB/s. These requests do not use
 * the quota of servers.
 */
const uploadBucket = ({ upload_id, start_id }: UploadToken): Bucket => ({
  name: `upload:${upload_id ?? start_id}`,
  quota: 600,
  windowMs: 60_000,
  limit: 'upload_token',
  visitors: true,
})

const isPublic = ({ key }: Caller): boolean => key.prefix === 'bt_site_'

/**
 * Returns the bucket of a route’s limit. If the limit is per IP address, calls from a server and calls from visitors
 * with the same address have separate buckets.
 */
function ownBucket(
  id: string,
  { by, perMinute: quota }: RouteLimit,
  caller: Caller | undefined,
  ip: string,
  limitedAs: string | undefined,
): Bucket {
  const bucket = { quota, windowMs: 60_000, limit: id }
  if (limitedAs !== undefined) return { ...bucket, name: `${id}:${limitedAs}` }
  if (caller && by !== 'ip') return { ...bucket, name: `${id}:${caller[by].id}` }
  if (caller && !isPublic(caller)) return { ...bucket, name: `${id}:${caller.key.id}:${getClientNetwork(ip)}` }
  return { ...bucket, name: `${id}:${getClientNetwork(ip)}`, visitors: true }
}

/**
 * Returns the network of a client that limits count. For IPv6 this is a /64, because a client usually has a complete
 * /64.
 */
export function getClientNetwork(ip: string): string {
  if (!ip.includes(':') || ip.startsWith('::ffff:')) return ip
  const [head = '', tail] = ip.split('::')
  const left = head.split(':').filter(Boolean)
  const right = tail === undefined ? [] : tail.split(':').filter(Boolean)
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0')
  return [...left, ...(tail === undefined ? [] : zeros), ...right].slice(0, 4).join(':')
}
