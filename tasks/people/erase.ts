import { z } from 'zod'
import { Rejected } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import type { Storage } from '#lib/storage/storage.ts'
import * as erasedObjects from '#sql/people/erasure-objects.ts'
import * as erasedTables from '#sql/people/erasure-tables.ts'
import * as erasures from '#sql/people/erasures.ts'
import { receivedPrefix } from '../email/rules/received/keys.ts'
import { heldPrefix, previewsPrefix, quarantinePrefix } from '../files/rules/keys.ts'
import { task } from '../queue/task.ts'
import { emit } from '../webhooks/rules/emit.ts'
import { type ErasureTools, eraseRows } from './rules/erase-person.ts'

const stillAdded = 'Rows of the person keep being added. Stop the system that adds them.'

/** Number of stored objects that are read at a time. */
const objectsAtOnce = 100

/**
 * Erases a person: the rows of all areas, then the stored files. The receipt is complete in the transaction that ends
 * the erasure.
 */
export const erase = task({
  name: 'people/erase',
  pool: 'core',
  payload: z.object({ erasureId: Id }),
  attempts: 20,
  timeout: 10 * 60_000,
  async run({ erasureId }, { db, storage, signal }) {
    const isComplete = await eraseRows(erasureId, { db, signal })
    await eraseObjects(erasureId, { db, storage, signal })
    if (!isComplete) throw new Rejected(stillAdded)
    await db.transaction(async (tx) => {
      const work = await erasures.lockOpen(tx, erasureId)
      if (!work) return
      const { org_id, user_id } = await erasures.finish(tx, erasureId)
      const { objects } = await erasedObjects.count(tx, erasureId)
      const rows = await erasedTables.total(tx, erasureId)
      await emit(tx, org_id, 'people.erased', { erasure_id: erasureId, user_id, rows, objects })
    })
  },
  async giveUp({ erasureId }, error, { db }) {
    const reason = error.name === 'Rejected' ? error.message : `The erasure stopped: ${error.name}.`
    await erasures.fail(db, erasureId, `${reason} Request another one to continue.`)
  },
})

/** Deletes the bytes of the person’s files. A repeated job deletes only those that are left. */
async function eraseObjects(
  erasureId: string,
  { db, storage, signal }: ErasureTools & { storage: Storage },
): Promise<void> {
  for (;;) {
    const left = await erasedObjects.listLeft(db, erasureId, objectsAtOnce)
    if (left.length === 0) return
    for (const object of left) {
      signal.throwIfAborted()
      for (const prefix of prefixesOf(object)) await storage.deleteAll(prefix, signal)
      await erasedObjects.setDeleted(db, object)
    }
  }
}

const prefixesOf = ({ kind, object_id }: erasedObjects.ErasedObject): readonly string[] =>
  kind === 'received_email'
    ? [receivedPrefix(object_id)]
    : [heldPrefix(object_id), quarantinePrefix(object_id), previewsPrefix(object_id)]
