import type { z } from 'zod'
import { Domain } from '#lib/email-address.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as domains from '#sql/email/domains.ts'
import { checkDomain } from '#tasks/email/check-domain.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { copyable } from '../../http/html/parts.ts'
import { type EmailDomain, presentWhole } from '../domains/view.ts'
import { stateOf } from './domains.ts'

/** Interval in milliseconds at which the records of an open page are checked again. */
const checkMs = 60_000

/** Status and records of a domain. While the page is open, the records are checked every minute until they are found. */
export const domainRegion: OrgRegion = {
  everyMs: 3_000,
  permission: 'domains:read',
  async read(db, orgId, [given = '']) {
    const domain = Domain.safeParse(given)
    const row = domain.success ? await domains.find(db, orgId, domain.data) : null
    if (!row) return null
    const isWatched = row.status !== 'verified' && row.verified_by !== 'operator'
    if (isWatched) await checkAgain(db, row)
    const found = await presentWhole(db, row)
    return html`<p class="lead">${stateOf(row.status)} · last check ${ago(row.checked_at)}${row.verified_by === 'operator' && ' · verified by the operator'}</p>
${isWatched && html`<p class="quiet">Publish the required records. This page checks them every minute.</p>`}
${recordTable(found)}
${trackingPart(found)}`
  },
}

async function checkAgain(db: DatabasePool, { id, org_id, checked_at }: domains.EmailDomain): Promise<void> {
  const due = (checked_at?.getTime() ?? 0) + checkMs
  if (due > Date.now()) return
  const at = Math.floor(Date.now() / checkMs)
  const about = { orgId: org_id, key: `check-domain:${id}:${at}` }
  await db.transaction((tx) => enqueue(tx, checkDomain, { domainId: id, hourly: false }, about))
}

const recordTable = ({ records }: z.input<typeof EmailDomain>): Html =>
  dataTable({ caption: 'DNS records to publish', key: ({ name, purpose }) => `${name} ${purpose}` }, records, {
    Name: (record) => copyable(record.name, `the name of the record: ${record.purpose}`),
    Type: (record) => html`${record.type}${record.priority !== null && ` ${record.priority}`}`,
    Value: ['break wide', (record) => copyable(record.value, `the value of the record: ${record.purpose}`)],
    Purpose: (record) => html`${record.purpose}${!record.required && html` <span class="quiet">recommended</span>`}`,
    Status: (record) =>
      html`${record.required || record.state === 'found' ? statusBadge(record.state) : html`<span class="quiet">${record.state.replace('_', ' ')}</span>`}${record.found && record.state !== 'found' && html` <span class="quiet break">${record.found}</span>`}`,
  })

const trackingWords = { off: 'off', pending: 'waiting for the host of links', active: 'on' } as const

function trackingPart({ tracking, track_opens, track_clicks, tracking_host }: z.input<typeof EmailDomain>): Html {
  const what = [track_opens && 'opens', track_clicks && 'clicks'].filter(Boolean).join(' and ')
  return html`<section><h2>Tracking</h2><dl class="facts"><div><dt>State</dt><dd>${trackingWords[tracking.state]}${what && ` (${what})`}</dd></div>
<div><dt>Host of links</dt><dd>${tracking_host ?? 'host of the API'}</dd></div></dl>
${tracking.message && html`<p class="quiet">${tracking.message}</p>`}</section>`
}
