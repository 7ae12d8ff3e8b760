import { hash } from 'node:crypto'
import { canonicalJson } from '#lib/canonical.ts'
import { badRequest } from '#lib/errors.ts'
import { createSeal } from '#lib/seal.ts'
import * as costs from '#sql/ai/costs.ts'
import * as limits from '#sql/ai/key-limits.ts'
import * as replies from '#sql/ai/replies.ts'
import * as usage from '#sql/ai/usage.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import { isAllowed } from '#tasks/ai/rules/key-use.ts'

/** Maximum number of characters of a request and of a response that is cached. */
export const mostCached = 256 * 1024

/** Longest time in seconds for which a response is cached: 7 days. */
export const longestCached = 604_800

/**
 * Returns the number of seconds for which the response is cached, or null. The header is 0 (not cached) or a number of
 * seconds. Without it, the setting `kept` of the organisation applies.
 */
export function cacheSeconds(header: string | undefined, kept: number | null): number | null {
  if (header === undefined) return kept
  const seconds = /^\d{1,6}$/.test(header.trim()) ? Number(header) : Number.NaN
  if (seconds <= longestCached) return seconds === 0 ? null : seconds
  const issue = `must be a number of seconds from 0 to ${longestCached}`
  throw badRequest([{ field: 'header.Millrace-Cache', issue }])
}

/** Returns the key of a request in the cache, in hexadecimal, or null if the request is too long. */
export function digestOf(orgId: string, request: object): string | null {
  // This text has the same length, and is written without blocking other requests.
  if (JSON.stringify(request).length > mostCached) return null
  return hash('sha256', `${orgId}\n${canonicalJson(request)}`, 'hex')
}

export interface CachedReply {
  text: string
  /** Seconds since the response was cached. */
  age: number
}

const about = (orgId: string, digest: string) => `${orgId} ${digest}`

/** Returns a cached response, or null. The key must be allowed to use the requested model and the one that responded. */
export async function findReply(
  db: Db,
  secret: string,
  { orgId, keyId, digest }: { orgId: string; keyId: string; digest: string },
): Promise<CachedReply | null> {
  const found = await replies.find(db, orgId, digest)
  if (!found) return null
  const all = await limits.list(db, keyId)
  if (!found.models.every((model) => isAllowed(all, model))) return null
  const text = createSeal(secret, replies.sealPurpose).open(found.sealed, about(orgId, digest))
  return text === null ? null : { text, age: found.age }
}

type Kept = Omit<replies.NewReply, 'sealed'> & { text: string }

export async function keepReply(db: DatabasePool, secret: string, { text, ...reply }: Kept): Promise<void> {
  if (text.length > mostCached) return
  const sealed = createSeal(secret, replies.sealPurpose).close(text, about(reply.orgId, reply.digest))
  await replies.put(db, { ...reply, sealed })
}

/** Counts a request whose response came from the cache. It costs nothing. */
export async function countHit(tx: Db, orgId: string, keyId: string, model: string): Promise<void> {
  const nothing = { prompt_tokens: 0, completion_tokens: 0 }
  await usage.add(tx, orgId, { operation: 'completion', outcome: 'done', ...nothing })
  await costs.add(tx, {
    ...{ org_id: orgId, key_id: keyId, model, operation: 'completion', currency: null, cost: null },
    ...{ cached: 1, cached_tokens: 0, ...nothing },
  })
}
