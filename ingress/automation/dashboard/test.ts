import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import * as rows from '#sql/automation/rules.ts'
import { typesOf } from '#tasks/automation/rules/event-paths.ts'
import { type Trial, tryRule } from '#tasks/automation/rules/try-rule.ts'
import { type EventType, eventKinds, isEventType } from '#tasks/webhooks/rules/event-types.ts'
import { formPage } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { type FormState, linesField, selectField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { conditionWords } from './condition-inputs.ts'
import { rulePath, section } from './section.ts'

const maxData = 100_000

export const { show: askForTest, submit: test } = formPage({
  path: '/automation/rules/{rule_id}/test',
  summary: 'Test a rule',
  section,
  permission: 'areas:write',
  params: z.object({ rule_id: pathId('rule') }),
  fields: z.object({
    type: z.string().max(100).refine(isEventType, 'must be an event type'),
    data: z.string().max(maxData),
  }),
  async view({ db, member, filled, fault, params: { rule_id: id } }) {
    const rule = await mustFind(rows.find(db, member.orgId, id), 'rule')
    return renderPage(member, rule, filled, fault, undefined)
  },
  async submit({ db, member, given, params: { rule_id: id } }) {
    const rule = await mustFind(rows.find(db, member.orgId, id), 'rule')
    const event = { id: newId(), type: given.type, timestamp: new Date().toISOString(), data: parseData(given.data) }
    const trial = await tryRule(db, rule, event)
    return { view: renderPage(member, rule, { given, faults: {} }, undefined, trial) }
  },
})

function parseData(text: string): Record<string, unknown> {
  try {
    const data: unknown = JSON.parse(text)
    if (typeof data === 'object' && data !== null && !Array.isArray(data)) return data as Record<string, unknown>
  } catch {
    // Reported below.
  }
  throw badRequest([{ field: 'form.data', issue: 'must be a JSON object' }])
}

function renderPage(
  member: Member,
  rule: rows.Rule,
  filled: FormState,
  fault: string | undefined,
  trial: Trial | undefined,
) {
  const types = typesOf(rule.event)
  const first = types[0] as EventType
  const main = html`${parentLink(rule.name, rulePath(rule.id))}<h1>Test rule</h1>
<p class="lead">Shows what the rule would do with this event. Creates and sends nothing.</p>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${selectField(filled, { name: 'type', label: 'Event', options: types.map((type) => [type, type]), otherwise: first })}
${linesField(filled, { name: 'data', label: 'Data (JSON)', rows: 16, required: true, otherwise: JSON.stringify(eventKinds[first].sample, null, 2) })}
<p class="actions"><button>Test rule</button> <a class="button plain" href="${rulePath(rule.id)}">Cancel</a></p></form>
${trial && renderTrial(trial)}`
  return { title: 'Test rule', main }
}

const reasons = {
  event: 'The rule does not accept this event type.',
  mode: 'The rule does not accept events of this mode.',
  condition: 'A condition is false:',
} as const

const renderTrial = ({ matches, reason, unmet, action, error }: Trial): Html =>
  html`<section role="status"><h2>Result</h2>
<p>${matches ? statusBadge('done', { shown: 'matches' }) : statusBadge('skipped', { shown: 'does not match' })} ${reason && reasons[reason]} ${reason === 'condition' && unmet && conditionWords(unmet)}</p>
${error && html`<div class="fault"><p><b>${error.message}</b></p><p class="quiet">code ${error.code}</p></div>`}
${action && html`<h3>Action</h3><pre tabindex="0" aria-label="Action">${JSON.stringify(action, null, 2)}</pre>`}</section>`
