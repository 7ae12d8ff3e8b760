import * as overview from '#sql/push/overview.ts'
import { daysRegion } from '../../http/console/day-spans.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago, count, since } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { mark } from '../../http/html/marks.ts'
import { byDay, figure, type Plot, percent } from '../../http/html/plot.ts'
import { renderTiles } from '../../http/html/tiles.ts'

const most = 30

export const pushRegion = daysRegion(async (db, days) => {
  const [series, apps, credentials, reasons] = await Promise.all([
    overview.listDays(db, days),
    overview.listApps(db, days, most),
    overview.listCredentials(db, most),
    overview.listReasons(db, days, most),
  ])
  return html`${funnel(series)}<div class="plots">${plots(series).map(figure)}</div>
<section aria-labelledby="providers"><h2 id="providers">Providers</h2>${credentials.length === 0 ? html`<p class="empty">No credentials yet.</p>` : credentialTable(credentials)}</section>
<section aria-labelledby="apps"><h2 id="apps">Apps with the most messages</h2>${apps.length === 0 ? html`<p class="empty">No apps yet.</p>` : appTable(apps)}</section>
<section aria-labelledby="reasons"><h2 id="reasons">Failure reasons</h2>${reasons.length === 0 ? html`<p class="empty">No failed pushes.</p>` : reasonTable(reasons)}</section>`
})

const share = (part: number, whole: number) => (whole === 0 ? null : part / whole)

function funnel(series: readonly overview.Day[]): Html {
  const sum = (of: (day: overview.Day) => number) => series.reduce((total, day) => total + of(day), 0)
  const [sent, delivered, opened] = [sum((day) => day.sent), sum((day) => day.delivered), sum((day) => day.opened)]
  const failed = sum((day) => day.failed)
  const tiles: [string, string][] = [
    ['sent', count(sent)],
    ['delivered', `${count(delivered)} (${percent(share(delivered, sent))})`],
    ['opened', `${count(opened)} (${percent(share(opened, delivered))})`],
    ['failed', `${count(failed)} (${percent(share(failed, sent + failed))})`],
  ]
  return renderTiles(tiles)
}

function plots(series: readonly overview.Day[]): Plot[] {
  const { time, line } = byDay(series)
  return [
    {
      ...time,
      name: 'funnel',
      title: 'Per day',
      series: [
        line('sent', (day) => day.sent),
        line('delivered', (day) => day.delivered),
        line('opened', (day) => day.opened),
      ],
    },
    { ...time, name: 'failed', title: 'Failed or expired', series: [line('failed', (day) => day.failed, true)] },
  ]
}

const credentialTable = (rows: readonly overview.CredentialRow[]): Html =>
  dataTable({ caption: 'Provider credentials by app', key: (row) => `credential-${row.id}` }, rows, {
    App: (row) => row.app,
    Organisation: (row) => row.org,
    Provider: (row) => html`${row.provider}${row.environment === 'sandbox' && ', sandbox'}`,
    'Circuit breaker': (row) => breaker(row),
    Check: (row) =>
      html`${row.check_state === 'failed' ? html`${mark('failed')} ${row.check_reason}` : (row.check_state ?? 'not checked')} ${ago(row.created_at)}`,
  })

function breaker({ open, open_until, open_reason, failures }: overview.CredentialRow): Html {
  if (open_until === null) return html`${mark('alive')}`
  return html`${open ? mark('paused') : mark('retry')} ${open_reason} ${open ? ago(open_until) : since(open_until)} <span class="quiet">rejected ${count(failures)} times</span>`
}

const appTable = (rows: readonly overview.AppRow[]): Html =>
  dataTable({ caption: 'Apps with the most messages', key: (row) => `app-${row.id}` }, rows, {
    App: (row) => html`<span title="${row.id}">${row.name}</span>`,
    Organisation: (row) => row.org,
    Devices: [
      'number',
      (row) =>
        html`${count(row.devices)}${row.invalidated > 0 && html` <span class="quiet">and ${count(row.invalidated)} invalidated</span>`}`,
    ],
    Sent: ['number', (row) => count(row.sent)],
    Delivered: ['number', (row) => count(row.delivered)],
    Opened: ['number', (row) => count(row.opened)],
    Failed: ['number', (row) => count(row.failed)],
  })

const reasonTable = (rows: readonly overview.Reason[]): Html =>
  dataTable(
    { caption: 'Failure reasons', key: ({ reason, provider, status }) => `reason-${provider}-${status}-${reason}` },
    rows,
    {
      Reason: ({ reason }) => reason,
      Provider: ({ provider }) => provider,
      Status: ({ status }) => status,
      Count: ['number', ({ count: times }) => count(times)],
    },
  )
