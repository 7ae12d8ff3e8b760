import { z } from 'zod'
import * as campaigns from '#sql/email/campaigns.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { beginCampaign } from './begin-campaign.ts'
import { endIfFinished } from './end-campaign.ts'

/** Delay in milliseconds after which the job of a late campaign counts as lost. */
const lateMs = 60_000

/** Starts or ends campaigns whose job was lost, for example after a move between cells. */
export const sweepCampaigns = task({
  name: 'email/sweep-campaigns',
  pool: 'core',
  payload: z.object({}),
  cron: '* * * * *',
  async run(_, { db, signal }) {
    for (const { id, org_id } of await campaigns.listOverdue(db, lateMs)) {
      signal.throwIfAborted()
      // If the job runs twice, the second run finds that the campaign has started.
      const options = { orgId: org_id, key: `begin-campaign:${id}` }
      await db.transaction((tx) => enqueue(tx, beginCampaign, { campaignId: id }, options))
    }
    for (const { id } of await campaigns.listUnended(db)) {
      signal.throwIfAborted()
      await db.transaction((tx) => endIfFinished(tx, id))
    }
  },
})
