import type { Logger } from 'pino'
import { config } from '#lib/config.ts'
import { describe } from '#lib/errors.ts'
import type { DatabasePool } from '#sql/db.ts'
import { listPoolsWithoutWorkers } from '#sql/jobs/workers.ts'
import { type AttributeFilter, filesMatching } from '#sql/knowledge/attribute-filter.ts'
import { type Found, find } from '#sql/knowledge/find.ts'
import * as files from '#sql/knowledge/store-files.ts'
import type { Store } from '#sql/knowledge/stores.ts'
import type { Embedded } from '#sql/knowledge/vectors.ts'
import { hasEmbeddedModel } from '#tasks/ai/rules/embedded-model.ts'
import { embedSearch } from '#tasks/knowledge/embed-search.ts'
import type { Services } from '../../http/container.ts'
import { questions } from '../../http/services.ts'

interface Means {
  db: DatabasePool
  /** API key that pays for the vectors. */
  keyId: string
  services: Services
  signal: AbortSignal
  log: Logger
}

interface StoreSearch {
  store: Pick<Store, 'id' | 'org_id'>
  queries: readonly string[]
  filter?: AttributeFilter | undefined
  most: number
  threshold: number
}

interface FoundInStore {
  file: files.StoreFile
  score: number
  text: string
}

/** Returns the best parts of a store’s files for any of the queries, best first. */
export async function findInStore(
  means: Means,
  { store, queries, filter, most, threshold }: StoreSearch,
): Promise<readonly FoundInStore[]> {
  const { db } = means
  const vectors = await embedQueries(means, store.org_id, queries)
  const only = filter && filesMatching(store.id, filter)
  const best = new Map<string, Found & { score: number }>()
  for (const [i, question] of queries.entries()) {
    const found = await find(db, { collectionId: store.id, question, embedded: vectors[i], only, most })
    for (const chunk of found) {
      const score = scoreOf(chunk)
      const key = `${chunk.source_id} ${chunk.place}`
      if (score >= threshold && score > (best.get(key)?.score ?? -1)) best.set(key, { ...chunk, score })
    }
  }
  const chunks = [...best.values()].sort((one, other) => other.score - one.score).slice(0, most)
  const known = await files.listByIds(db, [...new Set(chunks.map(({ source_id }) => source_id))])
  return chunks.flatMap(({ source_id, score, text }) => {
    const file = known.get(source_id)
    return file ? [{ file, score, text }] : []
  })
}

/** The better of the two ways to find a text: the weight of the shared words, and the likeness of the meaning. */
const scoreOf = ({ share, likeness }: Found): number => Math.min(1, Math.max(share, likeness ?? 0))

/** Time in milliseconds that a search waits for the vectors of its queries. Without them, it uses only words. */
const patienceMs = 3_000

/** Time in milliseconds after which a search no longer counts on workers without a heartbeat. */
const unmannedMs = Math.max(15_000, 2 * config.LEASE_MS)

/** Returns the vectors of queries, where they exist. Does not wait if no worker of the pool is running. */
async function embedQueries(means: Means, orgId: string, queries: readonly string[]) {
  if (config.AI_ENGINE === 'embedded' && !hasEmbeddedModel()) return []
  if ((await listPoolsWithoutWorkers(means.db, [embedSearch.pool], unmannedMs)).length > 0) return []
  return await Promise.all(queries.map((question) => embedQuery(means, orgId, question)))
}

async function embedQuery(
  { keyId, services, signal, log }: Means,
  orgId: string,
  question: string,
): Promise<Embedded | undefined> {
  try {
    const about = { orgId, timeout: patienceMs, signal, forgotten: true }
    const made = await services(questions).ask(embedSearch, { orgId, keyId, question }, about)
    return made ? { model: made.model, vector: Float32Array.from(made.numbers) } : undefined
  } catch (error) {
    signal.throwIfAborted()
    log.warn({ err: describe(error) }, 'a query has no vector: the search uses only its words')
    return undefined
  }
}
