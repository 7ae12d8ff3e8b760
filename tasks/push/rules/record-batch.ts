import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import { splitting } from '#lib/splitting.ts'
import { type DatabasePool, type Db, isRowFault } from '#sql/db.ts'
import { persist } from '#sql/persist.ts'
import type { DeliveryEnd } from './judge-batch.ts'
import { type BatchFacts, recordEnd, recordResults } from './record-results.ts'

/** Milliseconds for which results are kept that the database cannot take now. */
const keptMs = 60_000

/**
 * Records a batch and what follows from it, in one transaction. What the database does not take of it stands alone, and what follows
 * is recorded last then. While the database is away all is kept: what was sent would be sent again.
 */
export async function recordBatch(
  db: DatabasePool,
  about: BatchFacts,
  done: readonly DeliveryEnd[],
  follow: (tx: Db) => Promise<void>,
): Promise<void> {
  let isWhole = false
  await splitting(done, {
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
