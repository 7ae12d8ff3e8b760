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
export interface Standing {
  limit: number
  remaining: number
  reset: number
}

/** What this process holds of a bucket. */
interface Holding {
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
export function createLimiter(db: DatabasePool): (buckets: Bucket[]) => Promise<Standing | undefined> {
  const held = new LRUCache<string, Holding>({ max: 50_000 })
  const leasing = new Map<string, Promise<void>>()

  function holdingOf(bucket: Bucket): Holding {
    let holding = held.get(bucket.name)
    if (!holding) {
      const chunk = Math.max(1, Math.floor(bucket.quota / 50))
      holding = { tokens: 0, remaining: bucket.quota, endsAt: 0, leasedAt: 0, chunk, waiting: 0 }
      held.set(bucket.name, holding)
    }
    if (holding.endsAt !== 0 && performance.now() >= holding.endsAt) {
      Object.assign(holding, { tokens: 0, remaining: bucket.quota, endsAt: 0 })
    }
    return holding
  }

  /** Leases what the short buckets need, in one statement; buckets that are being leased already are waited for. */
  async function refill(short: Bucket[]): Promise<void> {
    const idle = short.filter(({ name }) => !leasing.has(name))
    const others = short.map(({ name }) => leasing.get(name))
    if (idle.length > 0) {
      const work = lease(idle).finally(() => {
        for (const { name } of idle) leasing.delete(name)
      })
      for (const { name } of idle) leasing.set(name, work)
      others.push(work)
    }
    await Promise.all(others)
  }

  async function lease(buckets: Bucket[]): Promise<void> {
    // Other requests that came with this one may join before the statement is sent.
    await Promise.resolve()
    const asked = performance.now()
    const wants = buckets.map((bucket) => {
      const holding = holdingOf(bucket)
      if (asked - holding.leasedAt < 1_000) holding.chunk = Math.min(holding.chunk * 2, Math.ceil(bucket.quota / 4))
      else if (holding.chunk > 1) holding.chunk = Math.ceil(holding.chunk / 2)
      const tokens = Math.max(holding.chunk, holding.waiting)
      return { bucket: bucket.name, quota: bucket.quota, windowMs: bucket.windowMs, tokens }
    })
    for (const { bucket, granted, remaining, ms_left } of await limits.lease(db, wants)) {
      const holding = held.get(bucket)
      if (!holding) continue
      // Reckoned from before the statement: this process ends the window no later than the database does.
      Object.assign(holding, { tokens: granted, remaining, leasedAt: asked, endsAt: asked + ms_left })
    }
  }

  /** Waits for more tokens of the short buckets. */
  async function waitFor(short: Bucket[]): Promise<void> {
    const holdings = short.map(holdingOf)
    for (const holding of holdings) holding.waiting++
    try {
      await refill(short)
    } finally {
      for (const holding of holdings) holding.waiting--
    }
  }

  return async function take(buckets) {
    for (;;) {
      const holdings = buckets.map(holdingOf)
      const spent = holdings.findIndex(isSpent)
      if (spent !== -1) throw refusal(buckets[spent] as Bucket, holdings[spent] as Holding)
      const short = buckets.filter((_, i) => holdings[i]?.tokens === 0)
      if (short.length > 0) {
        await waitFor(short)
        continue
      }
      for (const holding of holdings) holding.tokens--
      return standing(buckets, holdings)
    }
  }
}

const isSpent = ({ tokens, remaining, endsAt }: Holding) => tokens === 0 && remaining === 0 && endsAt !== 0

function secondsLeft(holding: Holding): number {
  return Math.max(1, Math.ceil((holding.endsAt - performance.now()) / 1000))
}

/** Where the client stands in the minute that is nearest to its end; the seconds come and go. */
function standing(buckets: Bucket[], holdings: Holding[]): Standing | undefined {
  let least: Standing | undefined
  buckets.forEach(({ quota, windowMs }, i) => {
    const holding = holdings[i] as Holding
    const remaining = holding.tokens + holding.remaining
    if (windowMs < 60_000 || (least && least.remaining / least.limit <= remaining / quota)) return
    least = { limit: quota, remaining, reset: secondsLeft(holding) }
  })
  return least
}

/** A refusal, with where the client stands. */
export class RateLimited extends Problem {
  readonly standing: Standing

  constructor(standing: Standing, windowMs: number) {
    const per = windowMs === 60_000 ? 'minute' : 'second'
    super(429, 'rate_limited', `The limit of ${standing.limit} requests a ${per} is reached.`, {
      retryAfter: standing.reset,
    })
    this.standing = standing
  }
}

function refusal(bucket: Bucket, holding: Holding): RateLimited {
  return new RateLimited({ limit: bucket.quota, remaining: 0, reset: secondsLeft(holding) }, bucket.windowMs)
}

/** Writes where the client stands with its limit. */
export function setStanding(ctx: Context, { limit, remaining, reset }: Standing): void {
  ctx.set('ratelimit-limit', String(limit))
  ctx.set('ratelimit-remaining', String(remaining))
  ctx.set('ratelimit-reset', String(reset))
}
