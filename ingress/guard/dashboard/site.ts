import { z } from 'zod'
import { config } from '#lib/config.ts'
import { runBounded, TooBroadError } from '#sql/bounded.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as byHour from '#sql/guard/by-hour.ts'
import * as rows from '#sql/guard/sites.ts'
import { page } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { copyableCode } from '../../http/html/copyable-code.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { count } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { copyable, emptyState, parentLink } from '../../http/html/parts.ts'
import { figure, percent } from '../../http/html/plot.ts'
import { renderTiles } from '../../http/html/tiles.ts'
import { createQueueLimiter } from '../../http/limits/at-once.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { section } from './sites.ts'

const hourMs = 3_600_000

/**
 * Numbers of hours that the page can show. Assessments are kept for a day. Sites with too many rows to count in time
 * show fewer hours.
 */
const spans = [24, 2]

/** Counts the sites of one organisation one after the other, because a busy site has millions of rows. */
const turnOf = createQueueLimiter({ ofOne: 1, inLine: 10, waitMs: 3_000 })

const mostLines = 6

export const read = page({
  path: '/guard/{site_id}',
  summary: 'Show a site, its key and its challenges',
  section,
  permission: 'log:read',
  params: z.object({ site_id: pathId('site') }),
  async view({ db, member, may, params, host, services }) {
    const site = await mustFind(rows.find(db, member.orgId, params.site_id), 'site')
    using _turn = await turnOf(member.orgId)
    const counted = await countHours(db, site.id)
    const main = html`${parentLink('Guard', section.path)}<h1>${site.name}</h1>
${siteFacts(site, config.PUBLIC_URL ?? host)}
${tryIt(site, host)}
${plugins(site, may('keys:live'))}
${apiCall(services, 'guard.tokens.verify', { body: { token: 'TOKEN_FROM_THE_FORM', action: 'sign-up', site_id: site.id } })}
${counted ? figures(counted) : emptyState('Numbers are temporarily unavailable because this site has too many visitors.')}`
    return { title: site.name, main }
  },
})

/** The first hour on the axis, counted from 1970, and the number of hours. */
interface Axis {
  first: number
  span: number
}

interface Counted extends Axis {
  hours: readonly byHour.Hour[]
  reasons: readonly byHour.HourReason[]
}

/** Counts a site’s visitors in as many hours as can be counted in time. Returns `null` if no hours can be counted. */
async function countHours(db: DatabasePool, siteId: string): Promise<Counted | null> {
  for (const span of spans) {
    const first = Math.floor(Date.now() / hourMs) - span + 1
    const since = new Date(first * hourMs)
    try {
      return await runBounded(db, async (tx) => ({
        ...{ first, span, hours: await byHour.listHours(tx, siteId, since) },
        reasons: await byHour.listReasons(tx, siteId, since),
      }))
    } catch (error) {
      if (!(error instanceof TooBroadError)) throw error
    }
  }
  return null
}

function figures({ hours, reasons, ...axis }: Counted): Html {
  const denied = reasons.filter(({ code }) => code === 'denied')
  const weighed = reasons.filter(({ code }) => code !== 'denied')
  const none = hours.length === 0 && denied.length === 0
  const fewer =
    axis.span !== spans[0] &&
    html`<p class="quiet">This site has too many visitors to show statistics for a whole day.</p>`
  return html`<section><h2>Last ${axis.span} hours</h2>${fewer}${none ? emptyState('No challenges in the last day.') : became(axis, hours, denied)}</section>
<section><h2>Assessment reasons</h2>${reasonsByHour(axis, weighed)}</section>`
}

/** Renders how the widget is tried: on the demo page, if the site lists the origin of this server. */
function tryIt({ site_key, origins }: rows.Site, host: string): Html {
  const demo = `${host}/v1/guard/demo?sitekey=${encodeURIComponent(site_key)}`
  return html`<section aria-labelledby="try"><h2 id="try">Try the widget</h2>
${
  origins.includes(host)
    ? html`<p class="lead">The demo page has a form with this site’s key. Send it to see the token and its verification.</p><p class="actions"><a class="button primary" href="${demo}" target="_blank">Open demo form</a></p>`
    : html`<p class="lead">The key works only on pages of its origins. To try the widget here, create a site with the origin ${copyable(host, 'the origin')}</p><p class="actions"><a class="button" href="/app/guard/new?origins=${encodeURIComponent(host)}">Create a site for this origin</a></p>`
}</section>`
}

/** Renders how forms with a plugin of another provider use the site. */
const plugins = ({ id }: rows.Site, mayCreate: boolean): Html =>
  html`<section aria-labelledby="plugins"><h2 id="plugins">Form plugins</h2>
<p class="lead">Plugins of reCAPTCHA, Turnstile and hCaptcha verify tokens with a secret of this site. See <a href="/docs/guides/moving-recaptcha">Move from reCAPTCHA</a>.</p>
${mayCreate && html`<p class="actions"><a class="button" href="${section.path}/${id}/secret">Create a secret</a></p>`}</section>`

function siteFacts({ site_key, origins, policy }: rows.Site, base: string): Html {
  const script = `<script type="module" src="${base}/v1/guard/widget.js"></script>`
  const tag = `<mill-guard sitekey="${site_key}" action="sign-up"></mill-guard>`
  return html`<section aria-labelledby="code"><h2 id="code">Add to your form</h2>
<p class="lead">Put this code into the form. The form then sends the field <code>mill-guard-token</code>, which your server verifies.</p>
${copyableCode(`${script}\n${tag}`, 'html', 'the code')}</section>
<dl class="facts keys"><div><dt>Public site key</dt><dd>${copyable(site_key, 'the site key')}</dd></div>
<div><dt>Origins</dt><dd class="break">${origins.join(' ') || quiet('none: the key cannot be used on any page')}</dd></div>
<div><dt>Difficulty</dt><dd>${policy.min_tier} to ${policy.max_tier}, harder above ${count(policy.rate_per_minute)} challenges per minute and address${policy.noscript ? '' : ', JavaScript required'}${policy.sha256 ? ', SHA-256 accepted' : ''}</dd></div></dl>`
}

function line<Row extends { hour: Date }>(
  { first, span }: Axis,
  rows: readonly Row[],
  of: (row: Row) => number,
): number[] {
  const values = Array.from({ length: span }, () => 0)
  for (const row of rows) {
    const at = Math.floor(row.hour.getTime() / hourMs) - first
    if (at >= 0 && at < span) values[at] = (values[at] ?? 0) + of(row)
  }
  return values
}

const timeOf = ({ first }: Axis) =>
  ({ from: (first * hourMs) / 1000, step: 3600, sparse: true, unit: 'count' }) as const

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

function became(axis: Axis, hours: readonly byHour.Hour[], denials: readonly byHour.HourReason[]): Html {
  const of = (name: Exclude<keyof byHour.Hour, 'hour'>) => line(axis, hours, (hour) => hour[name])
  const [issued, solved, failed, verified, replayed] = [
    of('issued'),
    of('solved'),
    of('failed'),
    of('verified'),
    of('replayed'),
  ]
  const denied = line(axis, denials, (one) => one.count)
  const refused = failed.map((value, i) => value + (replayed[i] ?? 0) + (denied[i] ?? 0))
  const all = sum(issued)
  return html`${renderTiles([
    ['challenges', count(all)],
    ['solved', `${count(sum(solved))} (${percent(all === 0 ? null : sum(solved) / all)})`],
    ['tokens spent', count(sum(verified))],
    ['wrong answers', count(sum(failed))],
    ['replayed tokens', count(sum(replayed))],
    ['denied', count(sum(denied))],
  ])}
<div class="plots">${figure({
    ...timeOf(axis),
    name: 'became',
    title: 'Per hour',
    series: [
      { label: 'challenges', values: issued },
      { label: 'solved', values: solved },
      { label: 'used tokens', values: verified },
    ],
  })}
${figure({ ...timeOf(axis), name: 'refused', title: 'Rejected', series: [{ label: 'rejected', values: refused, bad: true }] })}</div>`
}

function reasonsByHour(axis: Axis, reasons: readonly byHour.HourReason[]): Html {
  if (reasons.length === 0) return html`<p class="quiet">No reasons in the last day.</p>`
  const codes = [...Map.groupBy(reasons, ({ code }) => code)]
    .map(([code, rows]) => ({ code, values: line(axis, rows, (row) => row.count) }))
    .toSorted((a, b) => sum(b.values) - sum(a.values))
  const series = codes.slice(0, mostLines).map(({ code, values }) => ({ label: code, values }))
  const hourOf = (at: number) => `${new Date((axis.first + at) * hourMs).toISOString().slice(11, 16)} UTC`
  return html`<div class="plots">${figure({ ...timeOf(axis), name: 'reasons', title: 'Assessments by reason', series })}</div>
${dataTable('Reasons', codes, {
  Reason: ['', ({ code }) => html`<code>${code}</code>`],
  Assessments: ['number', ({ values }) => count(sum(values))],
  'Peak hour': ({ values }) => hourOf(values.indexOf(Math.max(...values))),
})}`
}
