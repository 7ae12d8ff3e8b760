import { z } from 'zod'
import * as apps from '#sql/push/apps.ts'
import { page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { count } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { emptyState, parentLink } from '../../http/html/parts.ts'
import { byDay, figure, percent } from '../../http/html/plot.ts'
import { renderTiles } from '../../http/html/tiles.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { insights } from '../insights.ts'
import { explainAnswer } from './answers.ts'
import { section } from './apps.ts'

const spans = ['7', '30', '90'] as const

const statuses = ['sent', 'delivered', 'displayed', 'opened', 'failed', 'expired'] as const

const Counts = z.record(z.enum(statuses), z.number())
const Part = z.object({ name: z.string() }).and(Counts)

const Reply = z.object({
  totals: Counts,
  series: z.array(z.object({ day: z.string() }).and(Counts)),
  breakdowns: z.object({
    provider: z.array(Part),
    platform: z.array(Part),
    reason: z.array(z.object({ name: z.string(), count: z.number() })),
  }),
})

export const show = page({
  path: '/push/{app_id}/insights',
  summary: 'Show the results of an app’s messages',
  section,
  permission: 'log:read',
  params: z.object({ app_id: pathId('app') }),
  query: z.object({ days: z.enum(spans).default('30') }),
  async view({ db, member, ask, may, params, query: { days } }) {
    const app = await mustFind(apps.find(db, member.orgId, params.app_id), 'app')
    const path = `${section.path}/${app.id}`
    const links = spans.map(
      (span) =>
        html`<a href="${path}/insights?days=${span}"${span === days && html` aria-current="true"`}>${span} days</a>`,
    )
    const shown = may('areas:write')
      ? renderInsights(await ask(insights, { params, query: { days } }, Reply))
      : undefined
    const main = html`${parentLink(app.name, path)}<div class="title"><h1>Insights of ${app.name}</h1><nav class="spans" aria-label="Time range of the charts">${links}</nav></div>
${shown ?? emptyState('Your role cannot read insights.')}`
    return { title: `Insights of ${app.name}`, main }
  },
})

function renderInsights({ totals, series, breakdowns }: z.infer<typeof Reply>): Html {
  if (statuses.every((status) => totals[status] === 0)) return emptyState('No messages in this time.')
  const { time, line } = byDay(series)
  const of = (status: (typeof statuses)[number], bad = false) => line(status, (day) => day[status], bad)
  const share = (part: number, all: number) => percent(all === 0 ? null : part / all)
  return html`${renderTiles([
    ['sent', count(totals.sent)],
    ['delivered', `${count(totals.delivered)} (${share(totals.delivered, totals.sent)})`],
    ['opened', `${count(totals.opened)} (${share(totals.opened, totals.sent)})`],
    ['failed or expired', count(totals.failed + totals.expired)],
  ])}
<p class="quiet">Devices report deliveries and clicks with receipts. Devices without receipts count only as sent.</p>
<section><h2>By day</h2><div class="plots">${figure({ ...time, name: 'reached', title: 'Sent, delivered and opened', series: [of('sent'), of('delivered'), of('opened')] })}
${figure({ ...time, name: 'lost', title: 'Failed and expired', series: [of('failed', true), of('expired')] })}</div></section>
<section><h2>By provider</h2>${partTable('Provider', breakdowns.provider)}</section>
<section><h2>By platform</h2>${partTable('Platform', breakdowns.platform)}</section>
<section><h2>Why deliveries failed</h2>${breakdowns.reason.length === 0 ? emptyState('No failed deliveries in this time.') : reasonTable(breakdowns.reason)}</section>`
}

const partTable = (name: string, parts: readonly z.infer<typeof Part>[]): Html =>
  dataTable(`Results by ${name.toLowerCase()}`, parts, {
    [name]: (one) => one.name || quiet('unknown'),
    ...Object.fromEntries(
      statuses.map((status) => [status, ['number', (one: z.infer<typeof Part>) => count(one[status])] as const]),
    ),
  })

const reasonTable = (reasons: readonly { name: string; count: number }[]): Html =>
  dataTable('Reasons of failed deliveries', reasons, {
    Reason: ({ name }) => html`<code>${name}</code>`,
    Deliveries: ['number', (one) => count(one.count)],
    'What to do': [
      'wide',
      ({ name }) => {
        const advice = explainAnswer(name)
        return advice ? `${advice.means} ${advice.todo}` : quiet('see the documentation of the provider')
      },
    ],
  })
