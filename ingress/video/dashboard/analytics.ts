import { Readable } from 'node:stream'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as assets from '#sql/video/assets.ts'
import type { AssetShare } from '#sql/video/audience-reports.ts'
import { requireMember } from '../../http/dashboard/admit.ts'
import { page, shared } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { filterForm } from '../../http/html/filter-form.ts'
import { optionalField } from '../../http/html/form.ts'
import { count, duration } from '../../http/html/format.ts'
import { type Html, html, queryString } from '../../http/html/html.ts'
import { emptyState, parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { route } from '../../http/route.ts'
import { audienceLines } from '../analytics/csv.ts'
import { type Period, periodOf, sliceOf } from '../analytics/query.ts'
import { type Report, readReport } from '../analytics/report.ts'
import { renderAudience, renderShares, renderTotals } from './audience.ts'
import { section, titleOf } from './videos.ts'

const path = '/app/videos/analytics'

const text = z.string().max(300)

const Day = optionalField(z.iso.date())

const query = z.object({
  from: Day.catch(undefined),
  to: Day.catch(undefined),
  asset: optionalField(Id).catch(undefined),
  country: optionalField(text).catch(undefined),
  device: optionalField(text).catch(undefined),
  browser: optionalField(text).catch(undefined),
  page: optionalField(text).catch(undefined),
})

type Query = z.output<typeof query>

export const overview = page({
  path: '/videos/analytics',
  summary: 'Show who watches videos',
  section,
  query,
  async view({ db, member, query }) {
    const { orgId } = member
    const asset = query.asset ? await mustFind(assets.find(db, orgId, query.asset), 'asset') : null
    const period = readPeriod(query)
    const slice = sliceOf(onlyFirst(query))
    const report = await readReport(db, { orgId, assetId: asset?.id, ...period }, slice)
    const given = { asset: asset?.id, ...period, ...onlyFirst(query) }
    const main = html`${asset ? parentLink(titleOf(asset), `${section.path}/${asset.id}`) : parentLink('Videos', section.path)}
<div class="title"><h1>Analytics</h1><a class="button" href="${section.path}/analytics.csv${queryString({ asset: asset?.id, ...period })}">Export CSV</a></div>
${asset ? html`<p class="lead break">${titleOf(asset)}</p>` : html`<p class="lead">All videos of the organisation. Days are in UTC.</p>`}
${filterForm(filters, { ...period, ...onlyFirst(query) }, { button: 'Show', hidden: { asset: asset?.id } })}
${report.days.length === 0 ? emptyState('No plays in this period.', 'Plays appear here when viewers watch with the player.') : renderReport(report, asset, (name, value) => `${path}${queryString({ ...given, [name]: value })}`)}`
    return { title: 'Analytics', main }
  },
})

const renderReport = (
  report: Report,
  asset: assets.Asset | null,
  link: (name: string, value: string) => string,
): Html =>
  html`${renderTotals(report)}${renderAudience(report, asset?.duration_seconds ?? null)}
${report.assets.length > 0 && html`<section><h2>Videos</h2>${assetTable(report.assets, report.query)}</section>`}
${report.slice.dimension === 'all' && renderShares(report, link)}`

const mostAssets = 20

const assetTable = (shown: readonly AssetShare[], { from, to }: Period): Html =>
  dataTable({ caption: 'Videos', key: ({ asset_id }) => asset_id }, shown.slice(0, mostAssets), {
    Video: [
      'break',
      ({ asset_id, title }) =>
        html`<a href="${path}${queryString({ asset: asset_id, from, to })}">${title ?? 'Untitled'}</a>`,
    ],
    Plays: ({ plays }) => count(plays),
    Viewers: ({ viewers }) => count(viewers),
    'Watch time': ({ play_ms }) => duration(play_ms / 1000),
  })

const filters = [
  { name: 'from', label: 'From', type: 'date' },
  { name: 'to', label: 'To', type: 'date' },
  { name: 'country', label: 'Country', most: 10, narrow: true, placeholder: 'DE' },
  { name: 'device', label: 'Device', any: 'All', options: ['desktop', 'mobile', 'tablet', 'tv', 'console', 'other'] },
  { name: 'browser', label: 'Browser', most: 30, narrow: true, placeholder: 'safari' },
  { name: 'page', label: 'Page', most: 300, placeholder: 'https://www.example.com/' },
] as const

const names = ['country', 'device', 'browser', 'page'] as const

/** Returns the first filter that is set. The figures have one property at a time. */
function onlyFirst(query: Query): Partial<Record<(typeof names)[number], string>> {
  const name = names.find((one) => query[one] !== undefined)
  return name === undefined ? {} : { [name]: query[name] }
}

/** Returns the period of the form, or the last 30 days if the days of the form are not valid. */
function readPeriod({ from, to }: Query): Period {
  try {
    return periodOf({ from, to })
  } catch {
    return periodOf({})
  }
}

export const csv = route({
  ...shared,
  method: 'GET',
  path: '/videos/analytics.csv',
  summary: 'Export analytics',
  query,
  raw: 'text/csv',
  async handle(call) {
    const allowed = await requireMember(call, { permission: 'log:read' })
    if (!allowed) return
    const { ctx, query } = call
    const lines = await linesOf(allowed.db, allowed.member.orgId, query)
    ctx.type = 'text/csv; charset=utf-8'
    ctx.set('content-disposition', 'attachment; filename="analytics.csv"')
    ctx.body = Readable.from(lines)
  },
})

async function linesOf(db: Db, orgId: string, query: Query): Promise<AsyncIterable<string>> {
  const asset = query.asset && (await mustFind(assets.find(db, orgId, query.asset), 'asset'))
  return audienceLines(db, { orgId, assetId: asset ? asset.id : undefined, ...readPeriod(query) })
}
