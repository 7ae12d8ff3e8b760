import { setTimeout as pause } from 'node:timers/promises'
import { endOfDays, type Rule } from '../protocol/lifecycle.ts'
import * as lifecycles from './lifecycles.ts'
import * as listing from './listing.ts'
import * as objects from './objects.ts'
import type { Store } from './store.ts'
import * as uploads from './uploads.ts'

export interface SweepOptions {
  readonly buckets: readonly string[]
  readonly every: number
  /** Clock in milliseconds since 1970. */
  now(): number
}

const objectsAtOnce = 1000
/** Maximum number of uploads to abort at the same time. Each can have thousands of parts. */
const uploadsAtOnce = 10

/**
 * Sweeps a store immediately and then periodically: applies the rules of its buckets. The first sweep also removes
 * files of a crashed machine. Returns a function that stops the sweeps.
 */
export function keepSwept(store: Store, { buckets, every, now }: SweepOptions): () => Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping
  const attempt = (work: () => Promise<void>) =>
    work().catch((error) => void console.error('object store: a sweep failed:', error))
  const sweeping = (async () => {
    await attempt(() => store.blobs.removeStrays(signal))
    while (!signal.aborted) {
      await attempt(() => applyRules(store, buckets, now(), signal))
      await pause(every, undefined, { signal, ref: false }).catch(() => undefined)
    }
  })()
  return async () => {
    stopping.abort()
    await sweeping
  }
}

async function applyRules(store: Store, buckets: readonly string[], now: number, signal: AbortSignal): Promise<void> {
  for (const bucket of buckets)
    for (const { enabled, prefix, expiration, abortDays } of lifecycles.find(store, bucket)) {
      if (!enabled) continue
      const before = expiration && storedBefore(expiration, now)
      if (before !== undefined) await expire(store, { bucket, prefix, before }, signal)
      if (abortDays) await abort(store, { bucket, prefix, before: endOfDays(abortDays, now) }, signal)
    }
}

function storedBefore(expiration: NonNullable<Rule['expiration']>, now: number): number | undefined {
  if ('days' in expiration) return endOfDays(expiration.days, now)
  return expiration.date <= now ? now : undefined
}

interface Scope {
  readonly bucket: string
  readonly prefix: string
  readonly before: number
}

/** Reads the keys page by page, so that no request waits long. */
async function expire(store: Store, { bucket, prefix, before }: Scope, signal: AbortSignal): Promise<void> {
  const question = { bucket, prefix, delimiter: '', limit: objectsAtOnce }
  for (let from: Buffer | undefined = Buffer.alloc(0); from && !signal.aborted; ) {
    const page = listing.list(store, { ...question, from })
    const old = page.objects.filter(({ modified }) => modified <= before).map(({ key }) => key)
    if (old.length > 0) await objects.remove(store, bucket, old)
    else await pause(0)
    from = page.next
  }
}

async function abort(store: Store, { bucket, prefix, before }: Scope, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const aborted = await uploads.abortOld(store, { bucket, prefix, before, limit: uploadsAtOnce })
    if (aborted < uploadsAtOnce) return
  }
}
