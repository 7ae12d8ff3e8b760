import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as verifications from '#sql/verify/verifications.ts'
import { enqueue } from '../queue/enqueue.ts'
import { type TaskSignature, task } from '../queue/task.ts'
import { emitVerification } from './rules/emit-verification.ts'

const payload = z.object({ id: Id })

const own: TaskSignature<typeof payload, 'core'> = {
  name: 'verify/expire',
  pool: 'core',
  payload,
  attempts: 5,
  tracked: false,
}

/** Ends a verification that nobody completed. If another code made it longer, runs again at its end. */
export const expire = task({
  ...own,
  timeout: 30_000,
  async run({ id }, { db }) {
    await db.transaction(async (tx) => {
      const ended = await verifications.expire(tx, id)
      if (ended) return await emitVerification(tx, 'verify.expired', ended)
      const found = await verifications.findById(tx, id)
      if (found?.status === 'pending') await enqueue(tx, own, { id }, { orgId: found.org_id, at: found.expires_at })
    })
  },
})
