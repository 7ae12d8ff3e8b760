import type { Context } from 'koa'
import { LRUCache } from 'lru-cache'
import { hashSecret } from '#lib/tokens.ts'
import { createUnknownKeyLimit } from './unknown-keys.ts'

interface Limit {
  take: ReturnType<typeof createUnknownKeyLimit>
  proven: LRUCache<string, true>
  unknown: LRUCache<string, number>
}

const unknownMs = 5_000

const limits = new WeakMap<object, Limit>()

function limitOf(app: object): Limit {
  const known = limits.get(app)
  if (known) return known
  const take = createUnknownKeyLimit('Too many unknown session cookies from your network. Retry later.')
  const made = {
    take,
    proven: new LRUCache<string, true>({ max: 10_000 }),
    unknown: new LRUCache<string, number>({ max: 10_000 }),
  }
  limits.set(app, made)
  return made
}

/**
 * Looks up the session of a cookie. Throws 429 without a database query if the network has sent too many unknown
 * cookies.
 */
export async function findSessionLimited<T>(
  { app, state }: Context,
  secret: string,
  find: (secret: string) => Promise<T | null>,
): Promise<T | null> {
  const { take, proven, unknown } = limitOf(app)
  const hash = hashSecret(secret)
  const unknownAt = unknown.get(hash)
  if (unknownAt !== undefined && performance.now() - unknownAt < unknownMs) return null
  const giveBack = proven.has(hash) || unknownAt !== undefined ? undefined : take(state.ip)
  let isUnknown = false
  try {
    const found = await find(secret)
    isUnknown = found === null
    if (isUnknown) {
      proven.delete(hash)
      unknown.set(hash, performance.now())
    } else {
      proven.set(hash, true)
      unknown.delete(hash)
    }
    return found
  } finally {
    if (!isUnknown) giveBack?.()
  }
}
