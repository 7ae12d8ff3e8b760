import { z } from 'zod'
import { Later } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as reservations from '#sql/email/campaign-reservations.ts'
import * as campaigns from '#sql/email/campaigns.ts'
import { inBatches } from '../queue/batches.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { emitCampaignEvent } from './rules/campaigns/events.ts'
import { recordOutcomes } from './rules/record-outcomes.ts'

const batch = 1_000

const againMs = 10_000

/**
 * Cancels queued messages of a cancelled campaign. If a worker has taken a message, the worker ends it, unless the
 * message is being sent at that moment.
 */
export const withdrawCampaign = task({
  name: 'email/withdraw-campaign',
  pool: 'mail-campaign',
  payload: z.object({ campaignId: Id }),
  attempts: 8,
  timeout: 10 * 60_000,
  async run({ campaignId }, { db, signal }) {
    await inBatches(signal, (limit) => db.transaction((tx) => withdraw(tx, campaignId, limit)), batch)
    signal.throwIfAborted()
    if (await campaigns.isInDelivery(db, campaignId)) throw new Later(againMs, 'some messages are being delivered')
  },
})

async function withdraw(tx: Db, campaignId: string, limit: number): Promise<number> {
  const ids = await campaigns.removeFromDelivery(tx, campaignId, limit)
  const reason = 'The campaign was cancelled.'
  await recordOutcomes(
    tx,
    ids.map((messageId) => ({ messageId, status: 'failed', replyClass: 'cancelled', reason, uncounted: true })),
  )
  return ids.length
}

/** Returns null if the campaign does not exist. A campaign that has ended does not change. */
export async function cancelCampaign(tx: Db, orgId: string, id: string): Promise<campaigns.Campaign | null> {
  const cancelled = await campaigns.cancel(tx, orgId, id)
  if (!cancelled) return await campaigns.find(tx, orgId, id)
  await reservations.giveBack(tx, cancelled)
  await emitCampaignEvent(tx, 'cancelled', cancelled)
  if (cancelled.started_at) await enqueue(tx, withdrawCampaign, { campaignId: id }, { orgId })
  return cancelled
}
