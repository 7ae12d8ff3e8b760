import type { Context } from 'koa'
import { LRUCache } from 'lru-cache'
import { Problem } from '#lib/errors.ts'
import * as limits from '#sql/account/limits.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { Bucket } from './buckets.ts'

/** State of a bucket. `reset` is the time in seconds until its window ends. */
export interface RateLimitStatus {
  limit: number
  remaining: number
  reset: number
}

interface Lease {
  tokens: number
  remaining: number
  endsAt: number
  leasedAt: number
  chunk: number
  waiting: number
}

/**
 * Takes one token from each bucket per request. The limit is exact across all processes. Each process leases tokens
 * from the bucket’s row, and only a few at low traffic. So a busy key needs only a few statements per window.
 */
export function createLimiter(db: DatabasePool): (buckets: Bucket[]) => Promise<RateLimitStatus | undefined> {
  const ofOthers = new LRUCache<string, Lease>({ max: 50_000 })
  const ofVisitors = new LRUCache<string, Lease>({ max: 50_000 })
  const leasing = new Map<string, Promise<void>>()
  let before: Promise<void> = Promise.resolve()
  let next: { group: Bucket[]; done: Promise<void> } | undefined

  function leaseOf(bucket: Bucket): Lease {
    const leases = bucket.visitors ? ofVisitors : ofOthers
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

  async function refill(short: Bucket[]): Promise<void> {
    const idle = short.filter(({ name }) => !leasing.has(name))
    const others = short.map(({ name }) => leasing.get(name))
    if (idle.length > 0) {
      const renewing = idle.some(({ visitors }) => visitors) ? renewOneByOne(idle) : renew(idle)
      const work = renewing.finally(() => {
        for (const { name } of idle) leasing.delete(name)
      })
      for (const { name } of idle) leasing.set(name, work)
      others.push(work)
    }
    await Promise.all(others)
  }

  /**
   * Visitors can come from many IP addresses at the same time. Their buckets are renewed one statement after another,
   * each for all waiting requests. So they use only one connection.
   */
  function renewOneByOne(buckets: Bucket[]): Promise<void> {
    if (!next) {
      const group: Bucket[] = []
      const done = before.then(() => {
        next = undefined
        return renew(group)
      })
      before = done.catch(() => {})
      next = { group, done }
    }
    next.group.push(...buckets)
    return next.done
  }

  async function renew(buckets: Bucket[]): Promise<void> {
    await Promise.resolve()
    const asked = performance.now()
    const renewed = new Map(buckets.map((bucket) => [bucket.name, leaseOf(bucket)]))
    const wants = buckets.map((bucket) => {
      const lease = renewed.get(bucket.name) as Lease
      if (asked - lease.leasedAt < 1_000) lease.chunk = Math.min(lease.chunk * 2, Math.ceil(bucket.quota / 4))
      else if (lease.chunk > 1) lease.chunk = Math.ceil(lease.chunk / 2)
      const tokens = Math.max(lease.chunk, lease.waiting)
      return { bucket: bucket.name, quota: bucket.quota, windowMs: bucket.windowMs, tokens }
    })
    for (const { bucket, granted, remaining, ms_left } of await limits.lease(db, wants)) {
      // The time is measured before the statement runs, so this process ends the window no later than the database
      // does.
      Object.assign(renewed.get(bucket) ?? {}, { tokens: granted, remaining, leasedAt: asked, endsAt: asked + ms_left })
    }
  }

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
      if (spent !== -1) throw rateLimited(buckets, current, spent)
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

function secondsLeft({ windowMs }: Bucket, { endsAt }: Lease): number {
  return Math.max(1, Math.ceil((endsAt === 0 ? windowMs : endsAt - performance.now()) / 1000))
}

function statusOf(buckets: Bucket[], current: Lease[]): RateLimitStatus | undefined {
  const ofVisitor = buckets.some(({ visitors }) => visitors)
  let least: RateLimitStatus | undefined
  buckets.forEach((bucket, i) => {
    const lease = current[i] as Lease
    const { quota, windowMs, visitors = false } = bucket
    const remaining = lease.tokens + lease.remaining
    if (windowMs < 60_000 || visitors !== ofVisitor) return
    if (least && least.remaining / least.limit <= remaining / quota) return
    least = { limit: quota, remaining, reset: secondsLeft(bucket, lease) }
  })
  return least
}

export class RateLimited extends Problem {
  readonly rateLimit: RateLimitStatus

  constructor({ limit, quota, windowMs }: Bucket, retryAfter: number, rateLimit: RateLimitStatus) {
    const per = windowMs === 60_000 ? 'minute' : 'second'
    super(429, 'rate_limited', `You have reached the limit of ${quota} requests per ${per}: \`${limit}\`.`, {
      retryAfter,
      details: { limit, max: quota },
    })
    this.rateLimit = rateLimit
  }
}

function rateLimited(buckets: Bucket[], current: Lease[], spent: number): RateLimited {
  const [bucket, lease] = [buckets[spent] as Bucket, current[spent] as Lease]
  const reset = secondsLeft(bucket, lease)
  const visitors = buckets.some((one) => one.visitors) && !bucket.visitors
  const status = visitors ? statusOf(buckets, current) : undefined
  return new RateLimited(bucket, reset, status ?? { limit: bucket.quota, remaining: 0, reset })
}

export function setRateLimitHeaders(ctx: Context, { limit, remaining, reset }: RateLimitStatus): void {
  ctx.set('ratelimit-limit', String(limit))
  ctx.set('ratelimit-remaining', String(remaining))
  ctx.set('ratelimit-reset', String(reset))
}
