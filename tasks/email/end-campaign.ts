import { z } from 'zod'
import { Later } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as reservations from '#sql/email/campaign-reservations.ts'
import * as campaigns from '#sql/email/campaigns.ts'
import { task } from '../queue/task.ts'
import { emitCampaignEvent } from './rules/campaigns/events.ts'

/** Shortest and longest delay between checks whether a campaign has ended, in milliseconds. */
const [soonestMs, latestMs] = [2_000, 5 * 60_000]

/**
 * Waits for the last message of a campaign to reach a final status, and sends the event once. Deferred messages take up
 * to two days.
 */
export const endCampaign = task({
  name: 'email/end-campaign',
  pool: 'mail-campaign',
  payload: z.object({ campaignId: Id, since: z.number() }),
  attempts: 8,
  async run({ campaignId, since }, { db }) {
    if (await db.transaction((tx) => endIfFinished(tx, campaignId))) return
    const age = Date.now() - since
    throw new Later(Math.min(latestMs, Math.max(soonestMs, age / 10)), 'some messages are not delivered yet')
  },
})

/** Sends the event of a campaign that has ended, once. Returns false while messages are pending. */
export async function endIfFinished(tx: Db, id: string): Promise<boolean> {
  if (await campaigns.isInDelivery(tx, id)) return false
  const ended = await campaigns.end(tx, id)
  if (!ended) return true
  // A worker of the previous release may have created the last messages. It gives nothing back.
  await reservations.giveBack(tx, ended)
  await emitCampaignEvent(tx, 'finished', ended)
  return true
}
