import { z } from 'zod'
import { Later } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as readings from '#sql/identity/readings.ts'
import { task } from '../queue/task.ts'
import { endReading } from './rules/end-reading.ts'

const unscannedMs = 5_000

export const readDocument = task({
  name: 'identity/read-document',
  pool: 'identity-documents',
  payload: z.object({ objectId: Id }),
  attempts: 3,
  timeout: 90_000,
  async run({ objectId }, { db, documents, own, storage, signal }) {
    const waiting = await readings.findWaiting(db, objectId)
    if (!waiting) return
    const { scan_status, held_key, sniffed_type: type } = waiting
    if (scan_status === 'pending' || scan_status === 'scanning')
      throw new Later(unscannedMs, 'The image has not been scanned yet.')
    if (scan_status !== 'clean' || held_key === null) {
      await own((tx) => readings.drop(tx, objectId))
      return
    }
    const reading = await documents.read({ bytes: await storage.readWhole(held_key, signal), type }, signal)
    await own((tx) => endReading(tx, waiting, reading))
  },
  async giveUp({ objectId }, _, { db }) {
    await db.transaction(async (tx) => {
      const waiting = await readings.findWaiting(tx, objectId)
      if (waiting) await endReading(tx, waiting, { reason: 'reader_failed' })
    })
  },
})
