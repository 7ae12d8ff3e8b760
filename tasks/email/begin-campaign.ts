import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as campaigns from '#sql/email/campaigns.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { sendCampaign } from './expand-campaign.ts'
import { findDomainOrFault } from './rules/campaigns/hindrance.ts'
import { hold } from './rules/campaigns/hold.ts'

/**
 * Starts a scheduled campaign at its time. Does nothing if the campaign was rescheduled, cancelled or started since.
 */
export const beginCampaign = task({
  name: 'email/begin-campaign',
  pool: 'mail-campaign',
  payload: z.object({ campaignId: Id }),
  attempts: 8,
  async run({ campaignId }, { db }) {
    await db.transaction((tx) => begin(tx, campaignId))
  },
  async giveUp({ campaignId }, error, { db }) {
    await db.transaction((tx) => hold(tx, campaignId, `The campaign could not start: ${error.name}. Send it again.`))
  },
})

async function begin(tx: Db, id: string): Promise<void> {
  const campaign = await campaigns.lockDue(tx, id)
  if (!campaign) return
  const domain = await findDomainOrFault(tx, campaign)
  if (typeof domain === 'string') return await hold(tx, id, domain)
  if ((await sendCampaign(tx, campaign.org_id, id)) === 'no_segment') await hold(tx, id, 'The segment was deleted.')
}

/** Schedules a campaign of which no message was sent. Returns null if no such campaign exists. */
export async function scheduleCampaign(
  tx: Db,
  orgId: string,
  id: string,
  at: Date,
): Promise<campaigns.Campaign | null> {
  const scheduled = await campaigns.schedule(tx, orgId, id, at)
  // If the campaign was moved to a later time, the first job finds that it is not due. If it was moved to an earlier
  // time, the later job finds that it has started.
  if (scheduled) await enqueue(tx, beginCampaign, { campaignId: id }, { orgId, at })
  return scheduled
}
