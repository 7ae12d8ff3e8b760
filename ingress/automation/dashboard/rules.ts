import { z } from 'zod'
import * as rows from '#sql/automation/rules.ts'
import { everything } from '#sql/filters.ts'
import { maxRules } from '#tasks/automation/rules/manage.ts'
import { findById } from '../../http/dashboard/finders.ts'
import { action, page } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { actionButton, copyable, emptyState, linkButton, parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { presentAction } from '../present.ts'
import { pause, remove, resume } from '../rules.ts'
import { conditionWords } from './condition-inputs.ts'
import { actionTitles, actionWords, modeTitles, rulePath, runsPath, section } from './section.ts'

const sample = {
  name: 'Import files',
  event: 'files.object.clean',
  action: { type: 'job', url: 'https://shop.example/jobs/import' },
}

export const overview = page({
  path: '/automation',
  summary: 'List rules',
  section,
  permission: 'log:read',
  async view({ db, member, may, region, services }) {
    const found = await rows.list(db, member.orgId, { where: everything, before: undefined, limit: maxRules })
    const add = may('areas:write') && linkButton(`${section.path}/rules/new`, 'Create rule', { primary: true })
    const main = html`<div class="title"><h1>Automation</h1><p class="actions"><a class="button" href="${runsPath}">Runs</a> ${found.length > 0 && add}</p></div>
${found.length === 0 ? emptyState('Your rules appear here.', 'A rule starts a workflow, a job or an email when an event matches.', add) : ruleTable(found)}
${found.length > 0 && html`<section><h2>Latest runs</h2>${await region('automation-runs')}</section>`}
${add && apiCall(services, 'automation.rules.create', { body: sample })}`
    return { title: 'Automation', main }
  },
})

const ruleTable = (found: readonly rows.Rule[]): Html =>
  dataTable('Rules', found, {
    Rule: (one) => html`<a href="${rulePath(one.id)}">${one.name}</a>`,
    Event: ['break', (one) => html`<code>${one.event}</code>`],
    Conditions: ['number', (one) => String(one.conditions.length)],
    Action: (one) => actionTitles[one.action.type],
    State: (one) => statusBadge(one.state),
    Changed: (one) => ago(one.updated_at),
  })

const params = z.object({ rule_id: pathId('rule') })

export const one = page({
  path: '/automation/rules/{rule_id}',
  summary: 'Show a rule',
  section,
  permission: 'log:read',
  params,
  async view({ db, member, may, region, params: { rule_id: id } }) {
    const rule = await mustFind(rows.find(db, member.orgId, id), 'rule')
    const place = rulePath(id)
    const buttons =
      may('areas:write') &&
      html`<div class="actions"><a class="button" href="${place}/test">Test rule</a> <a class="button" href="${place}/edit">Edit rule</a> ${rule.state === 'enabled' ? actionButton(member, `${place}/pause`, 'Pause rule') : actionButton(member, `${place}/resume`, 'Resume rule')}</div>`
    const main = html`${parentLink('Automation', section.path)}<div class="title"><h1>${rule.name}</h1>${buttons}</div>
<dl class="facts"><div><dt>State</dt><dd>${statusBadge(rule.state)}</dd></div>
<div><dt>Event</dt><dd class="break"><code>${rule.event}</code></dd></div>
<div><dt>Live and test events</dt><dd>${modeTitles[rule.mode ?? 'both']}</dd></div>
<div><dt>Limit</dt><dd>${rule.max_per_minute} runs per minute</dd></div>
<div><dt>ID</dt><dd>${copyable(id, 'the rule ID')}</dd></div>
<div><dt>Changed</dt><dd>${ago(rule.updated_at)}</dd></div></dl>
<section><h2>Conditions</h2>${rule.conditions.length === 0 ? html`<p>${quiet('None. Every event of the type starts the rule.')}</p>` : html`<ul>${rule.conditions.map((one) => html`<li>${conditionWords(one)}</li>`)}</ul>`}</section>
<section><h2>Action</h2><p class="lead">The rule ${actionWords[rule.action.type]}.</p>
<pre tabindex="0" aria-label="Action">${JSON.stringify(presentAction(rule.action), null, 2)}</pre></section>
<section><h2>Latest runs</h2>${await region(`automation-runs/${id}`)}</section>
${may('areas:write') && html`<section><h2>Delete</h2><p class="lead">Waiting runs fail. Earlier runs can be read until they expire.</p>${actionButton(member, `${place}/remove`, 'Delete rule', { grave: true })}</section>`}`
    return { title: rule.name, main }
  },
})

export const finders = [findById('Rule', `${section.path}/rules`, rows.find, { permission: 'log:read' })]

const ofOne = {
  permission: 'areas:write',
  params,
  back: ({ rule_id }: { rule_id: string }) => rulePath(rule_id),
} as const

export const pauseRule = action({
  ...ofOne,
  path: '/automation/rules/{rule_id}/pause',
  summary: 'Pause a rule',
  async perform({ ask, params: { rule_id: id } }) {
    await ask(pause, { params: { id } }, z.unknown())
    return { to: rulePath(id), told: 'Rule paused.' }
  },
})

export const resumeRule = action({
  ...ofOne,
  path: '/automation/rules/{rule_id}/resume',
  summary: 'Resume a rule',
  async perform({ ask, params: { rule_id: id } }) {
    await ask(resume, { params: { id } }, z.unknown())
    return { to: rulePath(id), told: 'Rule resumed.' }
  },
})

export const removeRule = action({
  ...ofOne,
  path: '/automation/rules/{rule_id}/remove',
  summary: 'Delete a rule',
  async perform({ ask, params: { rule_id: id } }) {
    await ask(remove, { params: { id } }, z.unknown())
    return { to: section.path, told: 'Rule deleted.' }
  },
})
