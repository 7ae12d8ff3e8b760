import { LRUCache } from 'lru-cache'
import { unavailable } from '#lib/errors.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as rows from '#sql/files/images/variants.ts'
import { service } from '../../http/container.ts'
import { type BatchedLookup, createBatchedLookup } from '../../http/database/batched-lookup.ts'
import { getClientNetwork } from '../../http/limits/buckets.ts'
import { createLimiter } from '../../http/limits/rate-limits.ts'
import { createVariantWaits } from './await-variant.ts'
import { noStorage, orderVariant, type VersionOfImage } from './order-variant.ts'
import { faultSentences, notTransformable, storageFull } from './problems.ts'

/** Time in milliseconds for which a request waits for a new variant. */
const waitMs = 15_000

/** Time in milliseconds for which a known variant is served while the database is unavailable. */
const rememberedMs = 4_000

/**
 * Time in milliseconds for which a process knows a stored variant. Its bytes never change, and each request checks that
 * its version can be served.
 */
const knownMs = 5_000

/** Maximum number of new variants per minute of an organisation, and of one client network. */
const [ofOrg, ofNetwork] = [600, 240]

export type FoundVariant = Pick<rows.Variant, 'id' | 'state' | 'content_type' | 'width' | 'height' | 'byte_size'>

interface Client {
  ip: string
  signal: AbortSignal
}

export interface Variants {
  /** Returns the variant of a version. If it does not exist, waits until a worker has made it. */
  obtain(version: VersionOfImage, recipe: string, client: Client): Promise<FoundVariant>
  /** Deletes a variant whose bytes are missing in storage, so that the next request makes it again. */
  forget(version: VersionOfImage, recipe: string): Promise<void>
  close(): Promise<void>
}

export const imageVariants = service<Variants>({
  name: 'files.variants',
  open: ({ db }) => createVariants(db),
  close: (variants) => variants.close(),
})

function createVariants(db: DatabasePool): Variants {
  const lookup = createLookup()
  const stored = new LRUCache<string, FoundVariant>({ max: 20_000, ttl: knownMs })
  const take = createLimiter(db)
  const waits = createVariantWaits(db)

  async function requireRate({ org_id }: VersionOfImage, ip: string): Promise<void> {
    const limit = 'files.images.new'
    await take([
      { name: `${limit}:${org_id}`, quota: ofOrg, windowMs: 60_000, limit },
      { name: `${limit}:${getClientNetwork(ip)}`, quota: ofNetwork, windowMs: 60_000, limit, visitors: true },
    ])
  }

  async function find(version: VersionOfImage, recipe: string): Promise<rows.Lookup['variant']> {
    const { fault = null, variant = null } = (await lookup.ask(db, keyOf(version.version_id, recipe))) ?? {}
    if (fault !== null) throw refusal(fault)
    if (variant === null || !isToRetry(variant)) return variant
    await rows.remove(db, version.version_id, recipe)
    return null
  }

  async function make(version: VersionOfImage, recipe: string, signal: AbortSignal): Promise<FoundVariant> {
    const made = await waits.wait(await orderVariant(db, version, recipe), waitMs, signal)
    if (made === null || made.state === 'making')
      throw unavailable('The image is not ready yet. Retry the same request in a moment.', 2)
    if (made.fault === rows.storageFault) throw storageFull(noStorage)
    if (made.fault !== null && made.fault in faultSentences) throw refusal(made.fault)
    return made
  }

  return {
    async obtain(version, recipe, { ip, signal }) {
      const key = keyOf(version.version_id, recipe)
      const before = stored.get(key)
      if (before) return before
      const variant = await find(version, recipe)
      if (variant === null) await requireRate(version, ip)
      if (variant === null || variant.state === 'making') return await make(version, recipe, signal)
      if (variant.state === 'failed') return variant
      stored.set(key, variant)
      return recordUse(db, variant)
    },
    async forget(version, recipe) {
      stored.delete(keyOf(version.version_id, recipe))
      await rows.remove(db, version.version_id, recipe)
    },
    close: () => waits.close(),
  }
}

const refusal = (fault: string) => notTransformable(faultSentences[fault] ?? '', { fault })

/** Time in milliseconds after which a failed variant is tried again. A busy worker can be the cause of the failure. */
const retryMs = 60 * 60_000

const isToRetry = ({ state, created_at }: rows.Lookup['variant'] & object): boolean =>
  state === 'failed' && Date.parse(created_at) < Date.now() - retryMs

const dayMs = 24 * 60 * 60_000

/** Records the use of a variant, once per day. */
function recordUse(db: DatabasePool, variant: rows.Lookup['variant'] & object): FoundVariant {
  if (Date.parse(variant.used_at) < Date.now() - dayMs) void rows.markUsed(db, [variant.id]).catch(() => {})
  return variant
}

const keyOf = (versionId: string, recipe: string) => `${versionId} ${recipe}`

function createLookup(): BatchedLookup<rows.Lookup> {
  const find = (db: DatabasePool, keys: string[]) =>
    rows.lookUp(
      db,
      keys.map((key) => ({ objectId: key.slice(0, 36), recipe: key.slice(37) })),
    )
  return createBatchedLookup(find, ({ object_id, recipe }) => keyOf(object_id, recipe), rememberedMs)
}
