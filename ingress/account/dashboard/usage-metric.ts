import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import * as keys from '#sql/account/keys.ts'
import * as plans from '#sql/account/plans.ts'
import * as budgets from '#sql/account/usage/budgets.ts'
import { getMetric, metricNames } from '#sql/account/usage/metrics.ts'
import * as usage from '#sql/account/usage.ts'
import type { DatabasePool } from '#sql/db.ts'
import { listStandings } from '#tasks/account/rules/standing.ts'
import { page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { optionalField } from '../../http/html/form.ts'
import { amountOf, formatInstant } from '../../http/html/format.ts'
import { type Html, html, queryString } from '../../http/html/html.ts'
import { emptyState, parentLink } from '../../http/html/parts.ts'
import { figure } from '../../http/html/plot.ts'
import { factList } from './fields.ts'
import { forecastText, limitText, section, usageMeter } from './usage.ts'

const spans = { '7d': 7, '30d': 30, '90d': 90 } as const
const spanNames = Object.keys(spans) as [keyof typeof spans, ...(keyof typeof spans)[]]
const dayMs = 86_400_000
const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

export const read = page({
  path: '/usage/{metric}',
  summary: 'Show a metric by day',
  section,
  permission: 'usage:read',
  params: z.object({ metric: z.enum(metricNames) }),
  query: z.object({ span: z.enum(spanNames).default('30d'), by: optionalField(z.string().max(40)) }),
  async view({ db, member, may, params: { metric }, query: { span, by } }) {
    const { unit, words, dimensions } = getMetric(metric)
    if (by !== undefined && !dimensions.includes(by))
      throw badRequest([{ field: 'query.by', issue: 'must be a dimension of this metric' }])
    const wanted = { metric, from: dayOf(Date.now() - (spans[span] - 1) * dayMs), to: dayOf(Date.now()) }
    const days = daysOf(wanted.from, spans[span], await usage.daily(db, member.orgId, wanted))
    const all = await listStandings(db, member.orgId, await plans.findForOrganisation(db, member.orgId))
    const stands = all.find((one) => one.metric === metric)
    const part = by ?? dimensions[0]
    const main = html`${parentLink('Usage', section.path)}<h1>${metric}</h1><p class="lead">${words}</p>
${
  stands &&
  html`${factList([
    ['Usage', html`${amountOf(unit, stands.used)}${usageMeter(stands)}`],
    ['Limit', limitText(stands, may('budgets:read'))],
    ['Forecast', forecastText(stands)],
    ['Period', stands.period],
    ['Period ends', `${formatInstant(stands.resetsAt)} UTC`],
  ])}`
}
${may('budgets:read') && budgetPart(metric, await budgetOf(db, member.orgId, metric), may('budgets:write'))}
<section><h2>Daily usage</h2>${spanLinks(metric, span, by)}${plotOf(metric, days)}
<details class="numbers"><summary>Values as a table</summary>${dayTable(days, unit)}</details></section>
${part !== undefined && html`<section><h2>By ${part}</h2>${partLinks(metric, span, part, dimensions)}${await partTable(db, member.orgId, { ...wanted, by: part })}</section>`}`
    return { title: metric, main }
  },
})

const budgetOf = async (db: DatabasePool, orgId: string, metric: string) =>
  (await budgets.list(db, orgId)).find((one) => one.metric === metric)

const budgetPart = (
  metric: Metric,
  budget: budgets.Budget | undefined,
  writes: boolean,
): Html => html`<section><h2>Budget</h2>
${budget ? html`<p>Per ${budget.period}: ${budget.soft !== null && `soft limit ${amountOf(getMetric(metric).unit, budget.soft)}`}${budget.soft !== null && budget.hard !== null && ', '}${budget.hard !== null && `hard limit ${amountOf(getMetric(metric).unit, budget.hard)}`}; alerts at ${budget.alert_at.map((one) => `${one} %`).join(', ')}.</p>` : html`<p class="quiet">No budget. Only the plan limit applies.</p>`}
${writes && html`<p><a class="button" href="/app/usage/${metric}/budget">${budget ? 'Edit budget' : 'Set budget'}</a></p>`}</section>`

type Metric = (typeof metricNames)[number]
type Days = readonly { day: string; amount: number }[]

function daysOf(from: string, length: number, counted: Days): Days {
  const amounts = new Map(counted.map(({ day, amount }) => [day, amount]))
  return Array.from({ length }, (_, i) => {
    const day = dayOf(Date.parse(from) + i * dayMs)
    return { day, amount: amounts.get(day) ?? 0 }
  })
}

const plotOf = (metric: Metric, days: Days): Html =>
  figure({
    name: 'days',
    title: `${getMetric(metric).unit} by day`,
    unit: getMetric(metric).unit === 'bytes' ? 'bytes' : 'count',
    step: 86_400,
    sparse: true,
    tabled: true,
    from: Date.parse(days[0]?.day ?? '') / 1000,
    series: [{ label: 'per day', values: days.map(({ amount }) => amount) }],
  })

const dayTable = (days: Days, unit: string): Html =>
  dataTable('Daily usage', days.toReversed(), {
    Day: ['', ({ day }) => day],
    Amount: ['number', ({ amount }) => amountOf(unit, amount)],
  })

const spanLinks = (metric: Metric, chosen: string, by: string | undefined): Html =>
  html`<nav class="spans" aria-label="Period">${spanNames.map((one) => html`<a href="/app/usage/${metric}${queryString({ span: one, by })}"${one === chosen && html` aria-current="true"`}>${one}</a>`)}</nav>`

const partLinks = (metric: Metric, span: string, chosen: string, all: readonly string[]): Html | undefined =>
  all.length < 2
    ? undefined
    : html`<nav class="spans" aria-label="Dimension">${all.map((one) => html`<a href="/app/usage/${metric}${queryString({ span, by: one })}"${one === chosen && html` aria-current="true"`}>${one}</a>`)}</nav>`

async function partTable(db: DatabasePool, orgId: string, wanted: usage.DaysWanted): Promise<Html> {
  const parts = await usage.parts(db, orgId, wanted)
  if (parts.length === 0) return emptyState('Usage by this dimension appears here and is updated once per hour.')
  const names =
    wanted.by === 'key' ? new Map((await keys.list(db, orgId)).map(({ id, name }) => [id, name])) : new Map()
  return dataTable(`By ${wanted.by}`, parts, {
    [wanted.by ?? '']: ({ name }) => names.get(name) ?? name,
    Amount: ['number', ({ amount }) => amountOf(getMetric(wanted.metric).unit, amount)],
  })
}
