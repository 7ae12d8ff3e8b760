import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import { enqueueMany } from '../../queue/enqueue.ts'
import type { TaskSignature } from '../../queue/task.ts'

const payload = z.object({ endpointId: Id, wakeId: Id })

/** Properties of the task `webhooks/deliver` that are needed to add its jobs. */
export const deliverSignature: TaskSignature<typeof payload, 'webhooks'> = {
  name: 'webhooks/deliver',
  pool: 'webhooks',
  payload,
  attempts: 5,
  tracked: false,
}

export async function enqueueEndpoints(tx: Db, woken: readonly { id: string; org_id: string }[]): Promise<void> {
  const payloads = woken.map(({ id }) => ({ endpointId: id, wakeId: newId() }))
  await enqueueMany(tx, deliverSignature, payloads, (i) => ({ orgId: (woken[i] as { org_id: string }).org_id }))
}
