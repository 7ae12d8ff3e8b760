import { Id } from '#lib/ids.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as hourly from '#sql/guard/hourly.ts'
import * as overview from '#sql/guard/overview.ts'
import type { Region } from '../http/console/regions.ts'
import { dataTable } from '../http/html/data-table.ts'
import { ago, count, duration } from '../http/html/format.ts'
import { type Html, html } from '../http/html/html.ts'
import { percent } from '../http/html/plot.ts'
import { renderTiles } from '../http/html/tiles.ts'
import { renderHistogram } from './histogram.ts'

const hours = { '1h': 1, '24h': 24, '7d': 168, '30d': 720 } as const

export const guardSpans = Object.keys(hours) as [keyof typeof hours, ...(keyof typeof hours)[]]

const most = 50

const isSpan = (text: string): text is keyof typeof hours => Object.hasOwn(hours, text)
const since = (span: keyof typeof hours) => new Date(Date.now() - hours[span] * 3_600_000)
const share = (part: number, whole: number) => (whole === 0 ? null : part / whole)

type Sums = Pick<overview.SiteRow, 'issued' | 'solved' | 'failed' | 'abandoned' | 'verified' | 'replayed' | 'timed'>

function tiles(sums: Sums, ...more: [string, Html | string][]): Html {
  const { issued, solved, failed, abandoned, verified, replayed, timed } = sums
  const of = (value: number) => `${count(value)} (${percent(share(value, issued))})`
  const all: [string, Html | string][] = [
    ['issued', count(issued)],
    ['solved', of(solved)],
    ['abandoned', of(abandoned)],
    ['wrong answers', of(failed)],
    ['used tokens', count(verified)],
    ['replayed', count(replayed)],
    ['without JavaScript', count(timed)],
    ...more,
  ]
  return renderTiles(all)
}

const none: Sums = { issued: 0, solved: 0, failed: 0, abandoned: 0, verified: 0, replayed: 0, timed: 0 }

const summed = (rows: readonly Sums[]): Sums =>
  rows.reduce<Sums>(
    (sum, row) =>
      Object.fromEntries(Object.entries(sum).map(([name, value]) => [name, value + row[name as keyof Sums]])) as Sums,
    none,
  )

export const guardRegion: Region = {
  everyMs: 15_000,
  fits: ([span = '']) => isSpan(span),
  async read(db, [span = '']) {
    if (!isSpan(span)) return null
    const [sites, stock] = await Promise.all([
      overview.listSites(db, since(span), { limit: most }),
      overview.getStock(db),
    ])
    const oldest = stock.oldest && html` <small class="quiet">oldest created ${ago(stock.oldest)}</small>`
    return html`${tiles(summed(sites), ['puzzles in stock', html`${count(stock.puzzles)}${oldest}`])}
<section aria-labelledby="sites"><h2 id="sites">Sites</h2>${sites.length === 0 ? html`<p class="empty">No sites yet.</p>` : siteTable(sites, span)}</section>`
  },
}

const siteTable = (rows: readonly overview.SiteRow[], span: string): Html =>
  dataTable('Sites with the most challenges', rows, {
    Site: [
      '',
      (row) =>
        html`<a href="/ops/guard/sites/${row.id}?span=${span}">${row.name}</a> <span class="quiet">${row.org}</span>`,
    ],
    Issued: (row) => count(row.issued),
    Solved: (row) => html`${count(row.solved)} <span class="quiet">${percent(share(row.solved, row.issued))}</span>`,
    Abandoned: (row) => count(row.abandoned),
    Incorrect: (row) => count(row.failed),
    Used: (row) => count(row.verified),
    Replayed: (row) => count(row.replayed),
  })

export const siteRegion: Region = {
  everyMs: 15_000,
  fits: ([span = '', siteId]) => isSpan(span) && Id.safeParse(siteId).success,
  async read(db, [span = '', siteId = '']) {
    if (!isSpan(span)) return null
    const [[site], counts, reasons] = await Promise.all([
      overview.listSites(db, since(span), { limit: 1, siteId }),
      hourly.listCounts(db, siteId, since(span)),
      reasonRows(db, siteId),
    ])
    if (!site) return null
    return html`${tiles(site)}
<p class="quiet">Organisation: ${site.org}. Origins: ${site.origins.join(', ') || 'no origin'}.</p>
<div class="plots">${renderHistogram('Time to solve', solvedBy(counts))}</div>
<section aria-labelledby="tiers"><h2 id="tiers">Tiers</h2>${tierTable(counts)}</section>
<section aria-labelledby="reasons"><h2 id="reasons">Assessment reasons in the last day</h2>${reasons}</section>`
  },
}

/** Counts solved challenges by their solve time. The times are grouped by powers of two in milliseconds. */
function solvedBy(counts: readonly hourly.Count[]): { label: string; value: number }[] {
  const solved = counts.filter(({ outcome }) => outcome === 'solved')
  if (solved.length === 0) return []
  const buckets = solved.map(({ bucket }) => bucket)
  const [first, last] = [Math.min(...buckets), Math.max(...buckets)]
  return Array.from({ length: last - first + 1 }, (_, i) => ({
    label: `${duration(2 ** (first + i) / 1000)} – ${duration(2 ** (first + i + 1) / 1000)}`,
    value: solved.filter(({ bucket }) => bucket === first + i).reduce((sum, { count }) => sum + count, 0),
  }))
}

function tierTable(counts: readonly hourly.Count[]): Html {
  const tiers = ['noscript', 'low', 'normal', 'high', 'extreme'].filter((tier) =>
    counts.some((one) => one.tier === tier),
  )
  if (tiers.length === 0) return html`<p class="empty">No challenges yet.</p>`
  const of = (tier: string, outcome: string) =>
    counts.filter((one) => one.tier === tier && one.outcome === outcome).reduce((sum, { count }) => sum + count, 0)
  const outcome = (name: string) => (tier: string) => count(of(tier, name))
  return dataTable('By tier', tiers, {
    Tier: ['', (tier) => tier],
    Issued: outcome('issued'),
    Solved: outcome('solved'),
    Used: outcome('verified'),
    Replayed: outcome('replayed'),
  })
}

async function reasonRows(db: DatabasePool, siteId: string): Promise<Html> {
  const rows = await overview.listReasons(db, siteId, most)
  if (rows.length === 0) return html`<p class="empty">No reasons yet.</p>`
  return dataTable('Reasons', rows, {
    Reason: ['', ({ code }) => html`<code>${code}</code>`],
    Assessments: ({ count: times }) => count(times),
    'Average weight': ({ weight }) => Math.round(weight),
  })
}
