import { z } from 'zod'
import * as customers from '#sql/account/usage/customer-usage.ts'
import { getMetric, type Metric, metricNames } from '#sql/account/usage/metrics.ts'
import { page } from '../../http/console/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { type Filter, filterForm } from '../../http/html/filter-form.ts'
import { amountOf, count } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { renderTiles } from '../../http/html/tiles.ts'
import { orgLink, shareBar } from './parts.ts'
import { sections } from './sections.ts'

const most = 100

const filters: readonly Filter[] = [
  {
    name: 'metric',
    label: 'Metric',
    any: null,
    options: metricNames.map((name) => [name, `${name}: ${getMetric(name).words}`] as const),
  },
  {
    name: 'order',
    label: 'Order',
    any: null,
    options: [
      ['amount', 'highest usage'],
      ['share', 'highest share of the limit'],
    ],
  },
]

export const list = page({
  path: '/usage',
  summary: 'Show usage of all organisations',
  section: sections.usage,
  query: z.object({
    metric: z.enum(metricNames).catch('email.messages'),
    order: customers.UsageOrder.catch('amount'),
  }),
  async view({ db, query: { metric, order } }) {
    const facts = getMetric(metric)
    const [found, total] = await Promise.all([
      customers.listMonthlyUsage(db, metric, { order, limit: most }),
      customers.sumMonthlyUsage(db, metric),
    ])
    const main = html`<h1>Usage</h1>
${filterForm(filters, { metric, order }, { button: 'Show usage' })}
<p class="lead">${capital(facts.words)}, ${periodOf(facts)}.</p>
${renderTiles([
  ['Total', amountOf(facts.unit, total.amount)],
  ['Organisations', count(total.orgs)],
])}
${found.length === 0 ? html`<p class="empty">No organisation has usage of this metric.</p>` : table(found, facts)}
${total.orgs > found.length && html`<p class="more quiet">Showing the first ${count(found.length)} of ${count(total.orgs)}.</p>`}`
    return { title: 'Usage', main }
  },
})

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

const periodOf = ({ counted, area, unit }: Metric): string => {
  if (counted !== 'peak') return 'this month (UTC)'
  return area === 'account' && unit === 'bytes' ? 'now' : 'today (UTC)'
}

const table = (found: readonly customers.Used[], { unit }: Metric): Html =>
  dataTable('Organisations by usage', found, {
    Organisation: ({ id, name }) => orgLink(id, name),
    Plan: ({ plan }) => plan,
    Usage: ['number', ({ amount: used }) => amountOf(unit, used)],
    Limit: ['number', ({ limit }) => (limit === null ? quiet('–') : amountOf(unit, limit))],
    Share: ({ name, amount: used, limit }) => shareBar(used, limit, `the limit of ${name}`),
  })
