import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import { writeInHalves } from '#lib/splitting.ts'
import { type DatabasePool, type Db, isRowFault } from '#sql/db.ts'
import { persist } from '#sql/persist.ts'
import type { DeliveryEnd } from './judge-batch.ts'
import { type BatchFacts, recordEnd, recordResults } from './record-results.ts'

/** Time in milliseconds for which results are kept while the database is unavailable. */
const keptMs = 60_000

/**
 * Records a batch and its consequences in one transaction. If the database rejects rows, each row is recorded
 * separately, and the consequences last. While the database is unavailable, all results are kept, because pushes
 * without a recorded result would be sent again.
 */
export async function recordBatch(
  db: DatabasePool,
  about: BatchFacts,
  done: readonly DeliveryEnd[],
  follow: (tx: Db) => Promise<void>,
): Promise<void> {
  let isWhole = false
  await writeInHalves(done, {
    async write(part) {
      const isAll = part.length === done.length
      await persist(db, keptMs, async (tx) => {
        await recordResults(tx, about, part)
        if (isAll) await follow(tx)
      })
      isWhole = isAll
    },
    isOnes: isRowFault,
    async failed(part, error) {
      const [only] = part
      if (!only || part.length > 1 || !isRowFault(error)) throw error
      log.error(
        { err: describe(error), delivery_id: only.delivery.id },
        'could not record a push result; recording only the end of the delivery',
      )
      await persist(db, keptMs, (tx) => recordEnd(tx, about, only))
    },
  })
  if (!isWhole) await persist(db, keptMs, follow)
}
