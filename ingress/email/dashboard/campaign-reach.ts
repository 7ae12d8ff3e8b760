import { createFairSlots } from '#lib/slots.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { Campaign } from '#sql/email/campaigns.ts'
import * as segments from '#sql/email/contacts/segments.ts'
import { count, counted } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { renderTiles } from '../../http/html/tiles.ts'

export type CampaignReach = segments.Reach | 'too_many' | 'no_segment'

/**
 * Places for counts, because each can use a connection for up to two seconds. A page whose count gets no place in time
 * shows no number.
 */
const places = createFairSlots({ slots: 2, slotsOfOne: 1, waiting: 40, waitingOfOne: 4 })

const waitMs = 3_000

/** Counts who would receive a campaign if it started now. After its start, counts the contacts that are left. */
export async function findReach(db: DatabasePool, campaign: Campaign): Promise<CampaignReach> {
  if (campaign.started_at) return { reached: Math.max(0, campaign.recipients - campaign.expanded), blocked: {} }
  const segment = campaign.segment_id ? await segments.find(db, campaign.org_id, campaign.segment_id) : null
  if (campaign.segment_id && !segment) return 'no_segment'
  const rule = segment && { match: segment.match, conditions: segment.conditions, groups: segment.groups }
  const place = await places.take(campaign.org_id, AbortSignal.timeout(waitMs)).catch(() => undefined)
  if (!place) return 'too_many'
  using _place = place
  return (await segments.countReach(db, campaign.org_id, rule, campaign.sandbox, campaign.topic)) ?? 'too_many'
}

/** Formats the reach for a question: `12 people`. */
export const reachWords = (reach: CampaignReach): string =>
  typeof reach === 'string'
    ? 'the contacts of this campaign'
    : reach.reached === 1
      ? '1 person'
      : `${count(reach.reached)} people`

const reasons: Readonly<Record<string, string>> = {
  unconfirmed: 'Not confirmed',
  unsubscribed: 'Unsubscribed',
  topic: 'Not subscribed to the topic',
  bounce: 'Suppressed: bounced',
  complaint: 'Suppressed: complained',
  manual: 'Suppressed by a member',
}

/** How many people a campaign reaches, and why it does not reach others. */
export function reachPanel(reach: CampaignReach): Html {
  if (reach === 'no_segment') {
    return html`<p class="note">The segment of this campaign was deleted. Edit the campaign and select another one.</p>`
  }
  if (reach === 'too_many') {
    return html`<p class="note">Millrace cannot count the contacts now, because there are too many contacts or counts. The campaign page shows the number after the start.</p>`
  }
  const blocked = Object.entries(reach.blocked).filter(([, number]) => number > 0)
  const left = blocked.reduce((sum, [, number]) => sum + number, 0)
  return html`${renderTiles([
    ['Will receive it', count(reach.reached)],
    ...blocked.map(([reason, number]) => [reasons[reason] ?? reason, count(number)] as const),
  ])}
<p class="hint">${left === 0 ? 'Every contact of this audience will receive the campaign.' : `${counted(left, 'contact')} of this audience will not receive the campaign.`} Millrace counts again at the start.</p>`
}
