import { z } from 'zod'
import * as plans from '#sql/account/plans.ts'
import * as budgets from '#sql/account/usage/budgets.ts'
import { getMetric, metricNames } from '#sql/account/usage/metrics.ts'
import { mayHaveHardLimit, removeBudget, setBudget } from '#tasks/account/rules/budgets.ts'
import { action, formPage } from '../../http/dashboard/page.ts'
import { requireStepUp } from '../../http/dashboard/session.ts'
import { selectField, textField } from '../../http/html/form.ts'
import { amountOf } from '../../http/html/format.ts'
import { html } from '../../http/html/html.ts'
import { actionButton, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { parseInput, readNumber, splitWords } from './input.ts'
import { section } from './usage.ts'

const params = z.object({ metric: z.enum(metricNames) })
const text = z.string().max(1_000).default('')
const Amount = z.int().min(0).max(Number.MAX_SAFE_INTEGER).nullable()

const Wish = z.object({
  period: budgets.Period,
  soft: Amount,
  hard: Amount,
  alert_at: z.array(z.int().min(1).max(1_000)).max(10).optional(),
})

const periods = [
  ['month', 'month (UTC)'],
  ['day', 'day (UTC)'],
] as const

export const { show: askForBudget, submit: set } = formPage({
  path: '/usage/{metric}/budget',
  summary: 'Set a budget',
  section,
  permission: 'budgets:write',
  params,
  fields: z.object({ period: z.enum(['month', 'day']), soft: text, hard: text, alert_at: text }),
  async view({ db, member, params: { metric }, filled, fault }) {
    const now = (await budgets.list(db, member.orgId)).find((one) => one.metric === metric)
    const { unit, plan } = getMetric(metric)
    const hasHard = mayHaveHardLimit(metric)
    const max = plan && (await plans.findForOrganisation(db, member.orgId))[plan]
    const numberField = (name: 'soft' | 'hard', label: string, hint: string) =>
      textField(filled, { name, label, hint, type: 'number', otherwise: now?.[name] == null ? '' : String(now[name]) })
    const main = html`${parentLink(metric, `/app/usage/${metric}`)}<h1>Budget for ${metric}</h1>${renderFault(fault ?? filled.faults.body)}
<p class="lead">In ${unit}.${max !== undefined && ` The plan allows ${amountOf(unit, max)}${unit === 'bytes' ? ` (${max})` : ''}.`}${!hasHard && ' This metric is counted once per hour, so it cannot have a hard limit.'}</p>
<form class="form" method="post">${tokenField(member)}
${selectField(filled, { name: 'period', label: 'Period', options: periods, otherwise: now?.period ?? 'month' })}
${numberField('soft', 'Soft limit', `${hasHard ? 'Optional. ' : ''}You receive an alert. Nothing is rejected.`)}
${(hasHard || filled.faults.hard) && numberField('hard', 'Hard limit', 'Optional. Usage above this limit is rejected.')}
${textField(filled, { name: 'alert_at', label: 'Alerts (percent)', otherwise: now?.alert_at.join(', ') ?? '80, 100', hint: 'Percentages of the soft limit, or of the hard limit if there is no soft limit. Each percentage sends one alert per period.' })}
<button>Save budget</button></form>
${now && html`<section><h2>Budget removal</h2><p class="lead">After removal, only the plan limit applies.</p>${actionButton(member, `/app/usage/${metric}/budget/remove`, 'Remove budget', { grave: true })}</section>`}`
    return { title: `Budget for ${metric}`, main }
  },
  async submit({ db, doer, member, params: { metric }, given: { period, ...given } }) {
    const wish = parseInput(Wish, {
      period,
      soft: readNumber(given.soft) ?? null,
      hard: readNumber(given.hard) ?? null,
      alert_at: splitWords(given.alert_at)?.map((one) => readNumber(one.replace(/%$/, ''))),
    })
    if (wish.hard !== null) requireStepUp(member)
    const plan = await plans.findForOrganisation(db, member.orgId)
    await db.transaction((tx) => setBudget(tx, doer, { plan, metric, wish }))
    return { to: `/app/usage/${metric}`, told: `Budget for ${metric} saved.` }
  },
})

export const remove = action({
  path: '/usage/{metric}/budget/remove',
  summary: 'Remove a budget',
  permission: 'budgets:write',
  params,
  back: ({ metric }) => `/app/usage/${metric}`,
  async perform({ db, doer, params: { metric } }) {
    await db.transaction((tx) => removeBudget(tx, doer, metric))
    return { to: `/app/usage/${metric}`, told: `Budget for ${metric} removed.` }
  },
})
