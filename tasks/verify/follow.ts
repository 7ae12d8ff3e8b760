import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as verifications from '#sql/verify/verifications.ts'
import { enqueue } from '../queue/enqueue.ts'
import { type TaskSignature, task } from '../queue/task.ts'
import { channels } from './rules/channels/index.ts'
import { recordFailure } from './rules/record-failure.ts'

/** Seconds between the looks at a delivery. The last one repeats until the verification ends. */
const looks = [1, 2, 3, 5, 10, 15, 30, 60]

const payload = z.object({ id: Id, send: z.int(), look: z.int() })

const own: TaskSignature<typeof payload, 'core'> = {
  name: 'verify/follow',
  pool: 'core',
  payload,
  attempts: 5,
  tracked: false,
}

/** Stores the state of the delivery of a code until it has arrived or failed. */
export const follow = task({
  ...own,
  timeout: 30_000,
  async run({ id, send, look }, { db }) {
    await db.transaction((tx) => lookAt(tx, { id, send, look }))
  },
})

async function lookAt(tx: Db, { id, send, look }: z.infer<typeof payload>): Promise<void> {
  const verification = await verifications.findById(tx, id)
  if (!verification || verification.sends !== send || verification.message_id === null) return
  if (verification.status !== 'pending' || verification.delivery === 'failed') return
  const { org_id, channel, message_id } = verification
  const report = await channels[channel].report(tx, org_id, message_id)
  if (!report) return
  if (report.delivery === 'failed') return await recordFailure(tx, verification, report.reason ?? 'failed', send)
  if (report.delivery !== 'queued') await verifications.setDelivery(tx, verification, report.delivery, null)
  if (report.delivery === 'delivered' || verification.shown === 'expired') return
  const seconds = looks[Math.min(look, looks.length - 1)] as number
  await enqueue(tx, own, { id, send, look: look + 1 }, { orgId: org_id, at: new Date(Date.now() + seconds * 1000) })
}
