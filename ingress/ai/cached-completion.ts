import type { Api } from '#lib/config/ai-upstreams.ts'
import { conflict } from '#lib/errors.ts'
import * as limits from '#sql/ai/key-limits.ts'
import * as replies from '#sql/ai/replies.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import { isAllowed } from '#tasks/ai/rules/key-use.ts'
import {
  type CachedReply,
  cacheSeconds,
  countHit,
  digestOf,
  findReply,
  keepReply,
  mostCached,
} from './cached-replies.ts'
import { hasEndedItself, readEvents } from './ended-itself.ts'

/** A response that is cached for this request. */
export interface Served {
  hit: string
}

/** Where the response will be cached. `null`: the request does not use the cache. `bypass`: it is too long. */
export type Lookup = { digest: string; seconds: number } | { bypass: true } | null

interface Asking {
  orgId: string
  keyId: string
  asked: string
  /** Setting of the organisation in seconds. */
  kept: number | null
}

/** Looks for a cached response to the same request of the same organisation, and counts a hit. */
export async function lookUp(
  tx: Db,
  { orgId, keyId, asked, kept }: Asking,
  header: string | undefined,
  request: object,
): Promise<Served | Lookup> {
  const seconds = cacheSeconds(header, kept)
  if (seconds === null) return null
  const digest = digestOf(orgId, request)
  if (digest === null) return { bypass: true }
  const found = await replies.find(tx, orgId, digest)
  const all = found ? await limits.list(tx, keyId) : []
  if (!found?.models.every((model) => isAllowed(all, model))) return { digest, seconds }
  await countHit(tx, orgId, keyId, asked)
  return { hit: digest }
}

interface Sealed {
  db: DatabasePool
  secret(): string
  orgId: string
  keyId: string
}

/** Returns a cached response. Throws 409 if it has been deleted since the request was accepted. */
export async function replay({ db, secret, ...about }: Sealed, digest: string): Promise<CachedReply> {
  const found = await findReply(db, secret(), { ...about, digest })
  if (!found) throw conflict('The cached response has just expired. Send the request again.')
  return found
}

export interface AnswerFacts {
  api: Api
  completionId: string
  /** Seconds after which a completion is too old for the cache. */
  maxAge: number
  /** Requested model, and the one that responded. */
  models: readonly string[]
  isStreamed: boolean
}

/** Caches a complete response. Responses that call tools, were cut off or were filtered are not cached. */
export async function keepAnswer(
  { db, secret, orgId }: Sealed,
  cache: Lookup,
  { api, isStreamed, ...facts }: AnswerFacts,
  text: string,
): Promise<void> {
  if (cache === null || !('digest' in cache) || text.length > mostCached) return
  if (!hasEndedItself(api, isStreamed ? readEvents(text) : [JSON.parse(text)])) return
  await keepReply(db, secret(), { orgId, ...cache, ...facts, text })
}
