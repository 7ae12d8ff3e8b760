import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as rows from '#sql/email/campaigns.ts'
import { countOfCampaign, type EngagementCounter, engagementCounters } from '#sql/email/engagement-counts.ts'
import { Status } from '#sql/email/messages.ts'
import { zeroCounts } from '#sql/no-counts.ts'
import { Instant } from '../../http/instant.ts'
import { CountsOf } from '../../http/lists/counts.ts'

export const CampaignSummary = z
  .object({
    id: Id,
    name: z.string(),
    subject: z.string(),
    from_email: z.string(),
    from_name: z.string().nullable(),
    status: rows.CampaignStatus.describe(
      '`sent`: all messages have been passed on for delivery. `progress` contains the share with a final status.',
    ),
    reason: z.string().nullable().describe('Reason for the pause'),
    sandbox: z.boolean().describe('True for a test key: recorded, not delivered'),
    recipients: z.int().describe('Number of confirmed contacts when the campaign started'),
    blocked: z
      .object({ total: z.int(), by_reason: z.record(z.string(), z.int()) })
      .describe(
        'Contacts that receive nothing: `unconfirmed`, `unsubscribed`, `topic` (not subscribed to it), or suppressed for `bounce`, `complaint` or `manual`',
      ),
    created_at: Instant,
    started_at: Instant.nullable(),
    finished_at: Instant.nullable(),
    preheader: z.string().nullable(),
    segment_id: Id.nullable().describe('Segment to send to. `null` for all confirmed contacts.'),
    send_at: Instant.nullable().describe('Scheduled start'),
    topic: z.string().nullable().describe('Key of the topic. `null` without a topic.'),
    ended_at: Instant.nullable().describe('When the last message reached a final status'),
    track_opens: z.boolean().nullable().describe('`null`: the setting of the domain'),
    track_clicks: z.boolean().nullable().describe('`null`: the setting of the domain'),
  })
  .meta({ id: 'email.CampaignSummary' })

export const Campaign = CampaignSummary.extend({
  html: z.string(),
  text: z.string().nullable(),
  sent: z.int().describe('Number of messages sent, including delivered, bounced and complained messages'),
  progress: z
    .number()
    .min(0)
    .max(1)
    .describe('Share of recipients that are blocked or whose message has a final status'),
  by_status: CountsOf(Status).describe('Number of messages per status'),
  engagement: z
    .object(
      Object.fromEntries(engagementCounters.map((name) => [name, z.int()])) as Record<EngagementCounter, z.ZodInt>,
    )
    .describe(
      'Tracked opens and clicks. `opened` and `clicked` count messages, `opens` and `clicks` requests. Machines have their own counts.',
    ),
}).meta({ id: 'email.Campaign' })

/** The schema removes fields that it does not contain. */
export const summarize = ({ blocked, ...campaign }: rows.CampaignSummary): z.input<typeof CampaignSummary> => ({
  ...campaign,
  blocked: { total: Object.values(blocked).reduce((sum, count) => sum + count, 0), by_reason: blocked },
})

export async function present(db: Db, campaign: rows.Campaign): Promise<z.input<typeof Campaign>> {
  const counts = { ...zeroCounts(Status), ...(campaign.started_at ? await rows.countByStatus(db, campaign.id) : {}) }
  const open = counts.queued + counts.deferred
  // `expanded` can stay below `recipients`, because contacts can unsubscribe after the campaign started.
  const whole = campaign.status === 'sent' ? campaign.expanded : Math.max(campaign.recipients, campaign.expanded)
  const share = whole === 0 ? Number(campaign.status === 'sent') : (campaign.expanded - open) / whole
  return {
    ...summarize(campaign),
    html: campaign.html,
    text: campaign.text,
    sent: counts.sent + counts.delivered + counts.bounced + counts.complained,
    progress: Math.max(0, Math.round(share * 10_000) / 10_000),
    by_status: counts,
    engagement: await countOfCampaign(db, campaign.org_id, campaign.id),
  }
}
