import type { Db } from '#sql/db.ts'
import type { Campaign } from '#sql/email/campaigns.ts'
import { emit } from '../../webhooks/rules/emit.ts'

/** Tells webhooks how far a campaign is, in the transaction that brings it there. */
export async function tellOfCampaign(
  tx: Db,
  happened: 'sent' | 'finished' | 'paused' | 'cancelled',
  { org_id, id, name, subject, recipients, expanded, blocked, reason, sandbox }: Campaign,
): Promise<void> {
  const total = Object.values(blocked).reduce((sum, count) => sum + count, 0)
  const data = { id, name, subject, recipients, expanded, blocked: total, reason, sandbox }
  await emit(tx, org_id, `email.campaign.${happened}`, data)
}
