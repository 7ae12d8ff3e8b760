import type { Db } from '#sql/db.ts'
import * as daily from '#sql/push/daily.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { count } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { emptyState } from '../../http/html/parts.ts'
import { byDay, figure } from '../../http/html/plot.ts'

const shownDays = 30
const dayMs = 24 * 3_600_000
const statuses = ['sent', 'delivered', 'displayed', 'opened', 'failed', 'expired'] as const

type Day = { day: string } & Record<(typeof statuses)[number], number>

const zero = (day: string): Day => ({ day, sent: 0, delivered: 0, displayed: 0, opened: 0, failed: 0, expired: 0 })

export async function renderDailyResults(db: Db, appId: string): Promise<Html> {
  const days = Array.from({ length: shownDays }, (_, i) => dayOf(Date.now() - (shownDays - 1 - i) * dayMs))
  const byName = new Map(days.map((day) => [day, zero(day)]))
  for (const { day, status, count } of await daily.listByDay(db, appId, days[0] as string)) {
    const found = byName.get(day)
    const name = statuses.find((one) => one === status)
    if (found && name) found[name] += count
  }
  const series = [...byName.values()]
  const busy = series.filter((day) => statuses.some((status) => day[status] > 0))
  if (busy.length === 0) return emptyState('No messages in the last 30 days.')
  return html`${plots(series)}<details><summary>Numbers</summary>${numbers(busy.toReversed())}</details>`
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

function plots(series: readonly Day[]): Html {
  const { time, line } = byDay(series)
  const funnel = (['sent', 'delivered', 'opened'] as const).map((status) => line(status, (day) => day[status]))
  const lost = (['failed', 'expired'] as const).map((status) => line(status, (day) => day[status], status === 'failed'))
  return html`<div class="plots">${figure({ ...time, name: 'became', title: 'Messages by day', noun: 'messages per day', tabled: true, series: funnel })}
${figure({ ...time, name: 'lost', title: 'Failed or expired', noun: 'messages per day', tabled: true, series: lost })}</div>`
}

const numbers = (days: readonly Day[]): Html =>
  dataTable('Deliveries by day and status', days, {
    'Day (UTC)': ['', ({ day }) => day],
    ...Object.fromEntries(statuses.map((status) => [status, ['number', (day: Day) => count(day[status])] as const])),
  })
