import { z } from 'zod'
import type { Fallbacks } from '#lib/config/ai-fallbacks.ts'
import { conflict } from '#lib/errors.ts'
import * as limits from '#sql/ai/key-limits.ts'
import * as replies from '#sql/ai/replies.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import { isAllowed } from '#tasks/ai/rules/key-use.ts'
import { type CachedReply, cacheSeconds, countHit, digestOf, findReply, keepReply } from './cached-replies.ts'

/** A response that is cached for this request. */
export interface Served {
  hit: string
}

/** Where the response will be cached. `null`: the request does not use the cache. `bypass`: it is too long. */
export type Lookup = { digest: string; seconds: number; fallbacks: Fallbacks | null } | { bypass: true } | null

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
  request: object & { fallbacks: Fallbacks | null },
): Promise<Served | Lookup> {
  const seconds = cacheSeconds(header, kept)
  if (seconds === null) return null
  const digest = digestOf(orgId, request)
  if (digest === null) return { bypass: true }
  const found = await replies.find(tx, orgId, digest)
  const all = found ? await limits.list(tx, keyId) : []
  if (!found?.models.every((model) => isAllowed(all, model))) return { digest, seconds, fallbacks: request.fallbacks }
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

/** Caches a complete response. Responses that call tools, were cut off or were filtered are not cached. */
export async function keepAnswer(
  { db, secret, orgId }: Sealed,
  cache: Lookup,
  { model: asked, stream }: { model: string; stream?: boolean | null | undefined },
  text: string,
): Promise<void> {
  if (cache === null || !('digest' in cache)) return
  const parts = stream ? readEvents(text) : [JSON.parse(text)]
  const model = findFinalModel(parts)
  if (model === undefined) return
  const { digest, seconds, fallbacks } = cache
  const names = fallbacks?.map((one) => (typeof one === 'string' ? one : one.model)) ?? []
  // With `default`, the response has the name on the upstream server.
  const answered = asked === 'default' && !names.includes(model) ? asked : model
  await keepReply(db, secret(), { orgId, digest, seconds, text, models: [asked, answered] })
}

const readEvents = (text: string): unknown[] =>
  text
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => JSON.parse(event.slice('data: '.length)))

const Part = z.looseObject({
  model: z.string(),
  choices: z.array(z.looseObject({ index: z.number().catch(0), finish_reason: z.string().nullish() })),
})

/** Returns the model of a response whose choices all ended by themselves, otherwise undefined. */
function findFinalModel(parts: readonly unknown[]): string | undefined {
  const ended = new Map<number, boolean>()
  let last: string | undefined
  for (const raw of parts) {
    const { data } = Part.safeParse(raw)
    if (!data) return undefined
    last = data.model
    for (const { index, finish_reason } of data.choices) {
      if (finish_reason) ended.set(index, finish_reason === 'stop')
      else if (!ended.has(index)) ended.set(index, false)
    }
  }
  return ended.size > 0 && [...ended.values()].every(Boolean) ? last : undefined
}
