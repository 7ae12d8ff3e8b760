import type { Context } from 'koa'
import { LRUCache } from 'lru-cache'
import { Problem } from '#lib/errors.ts'
import type { Caller } from '#sql/account/keys.ts'
import * as limits from '#sql/account/limits.ts'
import * as plans from '#sql/account/plans.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { Operation } from './area.ts'

/** A bucket of requests that refills when its window ends. */
export interface Bucket {
  name: string
  quota: number
  windowMs: number
}

/** How full the fullest bucket is; `reset` in seconds. */
export interface RateLimitStatus {
  limit: number
  remaining: number
  reset: number
}

/** What this process has leased of a bucket. */
interface Lease {
  tokens: number
  remaining: number
  endsAt: number
  leasedAt: number
  /** Tokens asked for at a time: doubled when a chunk lasted less than a second. */
  chunk: number
  waiting: number
}

/** The limits of plans that count requests. */
const rates = plans.limitNames.flatMap((name) => {
  const { rate }: plans.PlanLimit = plans.limits[name]
  return rate ? [{ name, ...rate }] : []
})

/** The buckets a call draws from: its key's second and minute, its organisation's minute, and the route's own. */
export function bucketsOf(operation: Operation, caller: Caller | undefined, ip: string): Bucket[] {
  const { limit } = operation.route
  const buckets: Bucket[] = []
  if (limit === false) return buckets
  if (caller) {
    for (const { name, bucket, by, windowMs } of rates)
      buckets.push({ name: `${bucket}:${caller[by].id}`, quota: caller.plan[name], windowMs })
  }
  if (limit) {
    const who = limit.by === 'ip' || !caller ? network(ip) : limit.by === 'key' ? caller.key.id : caller.org.id
    buckets.push({ name: `${operation.id}:${who}`, quota: limit.perMinute, windowMs: 60_000 })
  }
  return buckets.filter(({ quota }) => quota < plans.uncountedRequests)
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

/**
 * Takes one token of each bucket per request, exactly bounded over all processes: each holds tokens it has leased from the
 * one row per bucket, few while requests are few, so that a busy key costs a handful of statements a window.
 */
export function createLimiter(db: DatabasePool): (buckets: Bucket[]) => Promise<RateLimitStatus | undefined> {
  const leases = new LRUCache<string, Lease>({ max: 50_000 })
  const leasing = new Map<string, Promise<void>>()

  function leaseOf(bucket: Bucket): Lease {
    let lease = leases.get(bucket.name)
    if (!lease) {
      const chunk = Math.max(1, Math.floor(bucket.quota / 50))
      lease = { tokens: 0, remaining: bucket.quota, endsAt: 0, leasedAt: 0, chunk, waiting: 0 }
      leases.set(bucket.name, lease)
    }
    if (lease.endsAt !== 0 && performance.now() >= lease.endsAt) {
      Object.assign(lease, { tokens: 0, remaining: bucket.quota, endsAt: 0 })
    }
    return lease
  }

  /** Leases what the short buckets need, in one statement; buckets that are being leased already are waited for. */
  async function refill(short: Bucket[]): Promise<void> {
    const idle = short.filter(({ name }) => !leasing.has(name))
    const others = short.map(({ name }) => leasing.get(name))
    if (idle.length > 0) {
      const work = renew(idle).finally(() => {
        for (const { name } of idle) leasing.delete(name)
      })
      for (const { name } of idle) leasing.set(name, work)
      others.push(work)
    }
    await Promise.all(others)
  }

  async function renew(buckets: Bucket[]): Promise<void> {
    // Other requests that came with this one may join before the statement is sent.
    await Promise.resolve()
    const asked = performance.now()
    const wants = buckets.map((bucket) => {
      const lease = leaseOf(bucket)
      if (asked - lease.leasedAt < 1_000) lease.chunk = Math.min(lease.chunk * 2, Math.ceil(bucket.quota / 4))
      else if (lease.chunk > 1) lease.chunk = Math.ceil(lease.chunk / 2)
      const tokens = Math.max(lease.chunk, lease.waiting)
      return { bucket: bucket.name, quota: bucket.quota, windowMs: bucket.windowMs, tokens }
    })
    for (const { bucket, granted, remaining, ms_left } of await limits.lease(db, wants)) {
      const lease = leases.get(bucket)
      if (!lease) continue
      // Reckoned from before the statement: this process ends the window no later than the database does.
      Object.assign(lease, { tokens: granted, remaining, leasedAt: asked, endsAt: asked + ms_left })
    }
  }

  /** Waits for more tokens of the short buckets. */
  async function waitFor(short: Bucket[]): Promise<void> {
    const current = short.map(leaseOf)
    for (const lease of current) lease.waiting++
    try {
      await refill(short)
    } finally {
      for (const lease of current) lease.waiting--
    }
  }

  return async function take(buckets) {
    for (;;) {
      const current = buckets.map(leaseOf)
      const spent = current.findIndex(isSpent)
      if (spent !== -1) throw rateLimited(buckets[spent] as Bucket, current[spent] as Lease)
      const short = buckets.filter((_, i) => current[i]?.tokens === 0)
      if (short.length > 0) {
        await waitFor(short)
        continue
      }
      for (const lease of current) lease.tokens--
      return statusOf(buckets, current)
    }
  }
}

const isSpent = ({ tokens, remaining, endsAt }: Lease) => tokens === 0 && remaining === 0 && endsAt !== 0

function secondsLeft(lease: Lease): number {
  return Math.max(1, Math.ceil((lease.endsAt - performance.now()) / 1000))
}

/** Where the client stands in the minute that is nearest to its end; the seconds come and go. */
function statusOf(buckets: Bucket[], current: Lease[]): RateLimitStatus | undefined {
  let least: RateLimitStatus | undefined
  buckets.forEach(({ quota, windowMs }, i) => {
    const lease = current[i] as Lease
    const remaining = lease.tokens + lease.remaining
    if (windowMs < 60_000 || (least && least.remaining / least.limit <= remaining / quota)) return
    least = { limit: quota, remaining, reset: secondsLeft(lease) }
  })
  return least
}

/** 429 with where the client stands. */
export class RateLimited extends Problem {
  readonly rateLimit: RateLimitStatus

  constructor(rateLimit: RateLimitStatus, windowMs: number) {
    const per = windowMs === 60_000 ? 'minute' : 'second'
    super(429, 'rate_limited', `The limit of ${rateLimit.limit} requests a ${per} is reached.`, {
      retryAfter: rateLimit.reset,
    })
    this.rateLimit = rateLimit
  }
}

function rateLimited(bucket: Bucket, lease: Lease): RateLimited {
  return new RateLimited({ limit: bucket.quota, remaining: 0, reset: secondsLeft(lease) }, bucket.windowMs)
}

/** Writes where the client stands with its limit. */
export function setRateLimitHeaders(ctx: Context, { limit, remaining, reset }: RateLimitStatus): void {
  ctx.set('ratelimit-limit', String(limit))
  ctx.set('ratelimit-remaining', String(remaining))
  ctx.set('ratelimit-reset', String(reset))
}
