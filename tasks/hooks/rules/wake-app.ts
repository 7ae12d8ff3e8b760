import type { Db } from '#sql/db.ts'
import { listEnabled } from '#sql/hooks/endpoints.ts'
import { enqueueEndpoints } from '../../webhooks/rules/wake-endpoints.ts'

/** Continues the deliveries of an app that was enabled again. */
export async function wakeApp(tx: Db, { id }: { id: string }): Promise<void> {
  const found = await listEnabled(tx, [id])
  if (found.length > 0) await enqueueEndpoints(tx, found)
}
