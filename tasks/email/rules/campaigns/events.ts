import type { Db } from '#sql/db.ts'
import type { Campaign } from '#sql/email/campaigns.ts'
import { emit } from '../../../webhooks/rules/emit.ts'
import { toCampaignEventData } from '../event-data.ts'

export async function emitCampaignEvent(
  tx: Db,
  happened: 'sent' | 'finished' | 'paused' | 'cancelled',
  campaign: Campaign,
): Promise<void> {
  await emit(tx, campaign.org_id, `email.campaign.${happened}`, toCampaignEventData(campaign))
}
