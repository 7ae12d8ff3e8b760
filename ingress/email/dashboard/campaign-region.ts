import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as campaigns from '#sql/email/campaigns.ts'
import * as segments from '#sql/email/contacts/segments.ts'
import type { EngagementCounts } from '#sql/email/engagement-counts.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { count, formatInstant } from '../../http/html/format.ts'
import { type Content, html } from '../../http/html/html.ts'
import { renderProgressBar } from '../../http/html/marks.ts'
import { copyable } from '../../http/html/parts.ts'
import { percent } from '../../http/html/plot.ts'
import { present } from '../campaigns/present.ts'
import { renderStatus } from './campaigns.ts'

/** Status and progress of a campaign. Updates while the page is open. */
export const campaignRegion: OrgRegion = {
  everyMs: 4_000,
  permission: 'log:read',
  async read(db, orgId, [given = '']) {
    const id = Id.safeParse(given)
    const found = id.success ? await campaigns.find(db, orgId, id.data) : null
    if (!found) return null
    const segment = found.segment_id ? await segments.find(db, orgId, found.segment_id) : null
    return html`<dl class="facts">${(await factsOf(db, found, segment)).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
  },
}

async function factsOf(db: Db, found: campaigns.Campaign, segment: segments.NamedSegment | null) {
  const { sent, progress, by_status, blocked, engagement } = await present(db, found)
  const at = (name: string, value: Date | null): [string, Content][] =>
    value ? [[name, `${formatInstant(value)} UTC`]] : []
  const to = found.segment_id
    ? segment
      ? html`<a href="/app/segments/${segment.id}">${segment.name}</a>`
      : 'a deleted segment'
    : 'all confirmed contacts'
  const facts: [string, Content][] = [
    ['Status', renderStatus(found)],
    ...(found.reason ? ([['Reason', found.reason]] as [string, Content][]) : []),
    ['Campaign', copyable(found.id, 'the campaign ID')],
    ['Subject', found.subject],
    ['Preheader', found.preheader ?? '–'],
    ['From', found.from_name ? `${found.from_name} <${found.from_email}>` : found.from_email],
    ['To', to],
    ...at('Starts', found.started_at ? null : found.send_at),
    ...at('Started', found.started_at),
    ...at('Ended', found.ended_at),
  ]
  if (!found.started_at) return facts
  const statuses = Object.entries(by_status).filter(([, number]) => number > 0)
  return [
    ...facts,
    ['Progress', renderProgressBar(progress, found.name)],
    ['Recipients', count(found.recipients)],
    ['Sent', count(sent)],
    ['Messages', statuses.map(([status, number]) => `${count(number)} ${status}`).join(', ') || 'none yet'],
    [
      'Blocked',
      Object.entries(blocked.by_reason)
        .map(([reason, number]) => `${count(number)} ${reason}`)
        .join(', ') || 'none',
    ],
    ...engagementFacts(engagement, sent),
  ] as [string, Content][]
}

/** Facts about readers. Empty if nothing was tracked. */
function engagementFacts(engagement: EngagementCounts, sent: number): [string, Content][] {
  const { opened, opens, clicked, clicks, machine_opened, machine_clicked } = engagement
  if (Object.values(engagement).every((number) => number === 0)) return []
  const share = (part: number) => (sent > 0 ? ` (${percent(part / sent)})` : '')
  return [
    ['Opened', `${count(opened)} messages${share(opened)}, ${count(opens)} opens`],
    ['Clicked', `${count(clicked)} messages${share(clicked)}, ${count(clicks)} clicks`],
    ['By machines', `${count(machine_opened)} messages opened, ${count(machine_clicked)} clicked`],
  ]
}
