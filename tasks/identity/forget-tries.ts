import { z } from 'zod'
import type { Db } from '#sql/db.ts'
import * as objects from '#sql/files/objects.ts'
import * as prompts from '#sql/identity/prompts.ts'
import { enqueueRemoval } from '../files/remove.ts'
import { inBatches } from '../queue/batches.ts'
import { task } from '../queue/task.ts'

const atOnce = 200

export const forgetTries = task({
  name: 'identity/forget-tries',
  pool: 'core',
  payload: z.object({}),
  cron: '*/10 * * * *',
  timeout: 5 * 60_000,
  async run(_, { db, signal }) {
    await inBatches(signal, (limit) => db.transaction((tx) => forgetSome(tx, limit)), atOnce)
  },
})

async function forgetSome(tx: Db, limit: number): Promise<number> {
  const tried = await prompts.releaseUnusedUploads(tx, limit)
  for (const { org_id, object_id } of tried) await deleteTry(tx, org_id, object_id)
  return tried.length
}

/** Quarantined files stay for review. */
const heldBack: readonly objects.FileObject['scan_status'][] = ['infected', 'suspicious', 'unscannable']

/** Deletes an uploaded image in any state of the scan, after the link has released it. */
export async function deleteTry(tx: Db, orgId: string, objectId: string): Promise<void> {
  const object = await objects.find(tx, { orgId }, objectId)
  if (object === null || heldBack.includes(object.scan_status)) return
  for (const deleted of await objects.markDeleted(tx, { orgId }, objectId)) await enqueueRemoval(tx, deleted)
}
