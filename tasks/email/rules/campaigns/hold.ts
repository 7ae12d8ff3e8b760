import type { Db } from '#sql/db.ts'
import * as reservations from '#sql/email/campaign-reservations.ts'
import * as campaigns from '#sql/email/campaigns.ts'
import { emitCampaignEvent } from './events.ts'

/** Pauses a campaign with a reason, and gives back its reserved messages. Does nothing if the campaign has ended. */
export async function hold(tx: Db, id: string, reason: string): Promise<void> {
  const held = await campaigns.pause(tx, id, reason)
  if (!held) return
  await reservations.giveBack(tx, held)
  await emitCampaignEvent(tx, 'paused', held)
}
