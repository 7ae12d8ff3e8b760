import type { Caller } from '#sql/account/keys.ts'
import * as plans from '#sql/account/plans.ts'
import type { Operation } from '../area.ts'
import type { RouteLimit } from '../route-facts.ts'
import type { UploadToken } from '../upload-tokens.ts'

/** A bucket of requests that refills when its window ends. */
export interface Bucket {
  name: string
  quota: number
  windowMs: number
  /** What a refusal calls it: the plan's limit, or the operation whose own it is. */
  limit: string
  /** It is one of many visitors', and the one that a public key's answers tell of. */
  visitors?: true
}

/** The limits of plans that count requests. */
const rates = plans.limitNames.flatMap((name) => {
  const { rate }: plans.PlanLimit = plans.limits[name]
  return rate ? [{ name, ...rate }] : []
})

/**
 * The buckets a call draws from: with a server key the key's second and minute and its organisation's minute, with a public key
 * its visitor's and its own minute; the limits that were set for the key and for those by which it was made; and the route's own.
 * So nothing that a visitor sends spends what servers need.
 */
export function bucketsOf(
  operation: Operation,
  caller: Caller | undefined,
  ip: string,
  upload?: UploadToken,
): Bucket[] {
  const { limit } = operation.route
  const buckets: Bucket[] = []
  if (limit === false) return buckets
  if (upload) buckets.push(uploadBucket(upload))
  else if (caller) {
    const visitor = isPublic(caller)
    const owners = visitor
      ? { visitor: `${caller.key.id}:${network(ip)}`, site: caller.key.id }
      : { key: caller.key.id, org: caller.org.id }
    for (const { name, bucket, by, windowMs } of rates) {
      const owner = (owners as Partial<Record<typeof by, string>>)[by]
      if (owner === undefined) continue
      const own = by === 'visitor' ? { visitors: true as const } : {}
      buckets.push({ name: `${bucket}:${owner}`, quota: caller.plan[name], windowMs, limit: name, ...own })
    }
  }
  if (caller) buckets.push(...ratesOf(caller))
  if (limit) buckets.push(ownBucket(operation.id, limit, caller, ip))
  return buckets.filter(({ quota }) => quota < plans.uncountedRequests)
}

/** The rates that were set for a key and for the keys by which it was made. */
const ratesOf = ({ key }: Caller): Bucket[] =>
  [key, ...key.makers].flatMap(({ id, rate_per_minute: quota }) =>
    quota ? [{ name: `own:${id}`, quota, windowMs: 60_000, limit: 'rate_per_minute' }] : [],
  )

/** What one upload's token may ask in a minute: 600 parts of 5 MiB are 50 MB/s. None of it is spent from what servers have. */
const uploadBucket = ({ upload_id }: UploadToken): Bucket => ({
  name: `upload:${upload_id}`,
  quota: 600,
  windowMs: 60_000,
  limit: 'upload_token',
  visitors: true,
})

const isPublic = ({ key }: Caller): boolean => key.prefix === 'bt_site_'

/** The bucket of a route's own limit; that of a server which calls by address is none of the visitors behind that address. */
function ownBucket(id: string, { by, perMinute: quota }: RouteLimit, caller: Caller | undefined, ip: string): Bucket {
  const bucket = { quota, windowMs: 60_000, limit: id }
  if (caller && by !== 'ip') return { ...bucket, name: `${id}:${caller[by].id}` }
  if (caller && !isPublic(caller)) return { ...bucket, name: `${id}:${caller.key.id}:${network(ip)}` }
  return { ...bucket, name: `${id}:${network(ip)}`, visitors: true }
}

/** An IPv6 client usually has a whole /64 to itself, so that is what is counted. */
export function network(ip: string): string {
  if (!ip.includes(':') || ip.startsWith('::ffff:')) return ip
  const [head = '', tail] = ip.split('::')
  const left = head.split(':').filter(Boolean)
  const right = tail === undefined ? [] : tail.split(':').filter(Boolean)
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0')
  return [...left, ...(tail === undefined ? [] : zeros), ...right].slice(0, 4).join(':')
}
