import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { DatabasePool } from '#sql/db.ts'
import { whereOf } from '#sql/filters.ts'
import * as conversions from '#sql/verify/conversions.ts'
import * as rows from '#sql/verify/verifications.ts'
import { maskRecipient } from '#tasks/verify/rules/recipients.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { page } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { filterForm } from '../../http/html/filter-form.ts'
import { optionalField } from '../../http/html/form.ts'
import { ago, count } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState, linkButton } from '../../http/html/parts.ts'
import { byDay, figure, percent } from '../../http/html/plot.ts'
import { renderTiles } from '../../http/html/tiles.ts'

export const section = {
  title: 'Verification codes',
  path: '/app/verify',
  group: 'Trust',
  guide: 'verify',
  permission: 'log:read',
} as const satisfies DashboardSection

const [days, dayMs] = [14, 86_400_000]

export const overview = page({
  path: '/verify',
  summary: 'List verifications',
  section,
  permission: 'log:read',
  query: z.object({
    status: optionalField(z.enum(rows.statuses)),
    channel: optionalField(rows.Channel),
    before: Id.optional(),
  }),
  async view({ db, member, services, query: { status, channel, before } }) {
    const where = whereOf(rows.filters, { status, channel })
    const owner = { orgId: member.orgId, sandbox: false }
    const { shown, older } = cutPage(await rows.list(db, owner, { where, before, limit: perPage + 1 }))
    const isFiltered = status !== undefined || channel !== undefined
    const main = html`<div class="title"><h1>Verification codes</h1><p class="actions">${linkButton(`${section.path}/prefixes`, 'Blocked ranges')}${linkButton(`${section.path}/settings`, 'Settings')}</p></div>
${before === undefined && !isFiltered && (await charts(db, member.orgId))}
${filterForm(filters, { status, channel })}
${shown.length === 0 ? emptyState(isFiltered ? 'No verifications match these filters.' : 'No verifications yet.', !isFiltered && 'A verification sends a code to a phone number or an email address.') : verificationTable(shown)}
${older(section.path, { status, channel })}
${shown.length === 0 && apiCall(services, 'verify.codes.start', { body: { channel: 'email', to: 'ann@example.com' } })}`
    return { title: 'Verification codes', main }
  },
})

const filters = [
  { name: 'status', label: 'Status', any: 'Any', options: rows.statuses.map((one) => [one, one] as const) },
  {
    name: 'channel',
    label: 'Channel',
    any: 'Any',
    options: rows.Channel.options.map((one) => [one, channelName(one)] as const),
  },
]

export function channelName(channel: rows.Channel): string {
  return { sms: 'SMS', whatsapp: 'WhatsApp', voice: 'Phone call', email: 'Email' }[channel]
}

/** Renders a status with the look of a state that the vocabulary has. */
export const verificationState = ({ shown }: Pick<rows.Verification, 'shown'>): Html =>
  statusBadge(shown, { as: { undeliverable: 'failed', canceled: 'cancelled' }[shown as string] ?? shown })

const verificationTable = (shown: readonly rows.Verification[]): Html =>
  dataTable('Verifications', shown, {
    To: ['', (one) => html`<a href="${section.path}/${one.id}">${maskRecipient(one.recipient)}</a>`],
    Channel: (one) => channelName(one.channel),
    Status: (one) => verificationState(one),
    Attempts: ['number', (one) => `${one.attempts} of ${one.max_attempts}`],
    Country: (one) => one.country ?? quiet('–'),
    Created: (one) => ago(one.created_at),
  })

async function charts(db: DatabasePool, orgId: string): Promise<Html | undefined> {
  const first = Math.floor(Date.now() / dayMs) - days + 1
  const since = new Date(first * dayMs)
  const counted = new Map((await conversions.count(db, orgId, 'day', since)).map((one) => [one.group, one]))
  if (counted.size === 0) return undefined
  const none = { starts: 0, approved: 0, undeliverable: 0, blocked: 0 }
  const series = Array.from({ length: days }, (_, i) => {
    const day = new Date((first + i) * dayMs).toISOString().slice(0, 10)
    return { ...none, ...counted.get(day), day }
  })
  const sum = (of: (one: (typeof series)[number]) => number) => series.reduce((total, one) => total + of(one), 0)
  const { time, line } = byDay(series)
  const sent = sum((one) => one.starts - one.blocked)
  const share = (one: (typeof series)[number]) =>
    one.starts > one.blocked ? one.approved / (one.starts - one.blocked) : null
  return html`${renderTiles([
    ['starts in 14 days', count(sum((one) => one.starts))],
    [
      'approved',
      `${count(sum((one) => one.approved))} (${percent(sent === 0 ? null : sum((one) => one.approved) / sent)})`,
    ],
    ['undeliverable', count(sum((one) => one.undeliverable))],
    ['blocked', count(sum((one) => one.blocked))],
  ])}
<div class="plots">${figure({
    ...time,
    name: 'verifications',
    title: 'Verifications',
    noun: 'verifications per day',
    series: [
      line('starts', (one) => one.starts),
      line('approved', (one) => one.approved),
      line('blocked', (one) => one.blocked, true),
    ],
  })}
${figure({ ...time, unit: 'share', name: 'conversion', title: 'Conversion', series: [{ label: 'approved', values: series.map(share) }] })}</div>`
}
