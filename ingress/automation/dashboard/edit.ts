import { z } from 'zod'
import { type Action, actionTypes } from '#sql/automation/actions.ts'
import * as rows from '#sql/automation/rules.ts'
import type { Db } from '#sql/db.ts'
import * as templates from '#sql/email/templates.ts'
import * as workflows from '#sql/notify/workflows.ts'
import { listEventFields, typesOf } from '#tasks/automation/rules/event-paths.ts'
import { allTypes, eventKinds, typePatterns } from '#tasks/webhooks/rules/event-types.ts'
import { formPage } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { type FormState, optionalField, selectField, textField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { EventPattern } from '../fields.ts'
import { create, update } from '../rules.ts'
import { actionFields, actionInputs, type Choices, readAction } from './action-inputs.ts'
import { conditionFields, conditionInputs, readConditions } from './condition-inputs.ts'
import { atFields } from './form-faults.ts'
import { actionTitles, rulePath, section } from './section.ts'

const text = optionalField(z.string().max(1_000))

const fields = z.object({ ...actionFields, ...conditionFields, name: text, mode: text, max_per_minute: text })

const query = z.object({ event: optionalField(EventPattern), action: optionalField(z.enum(actionTypes)) })

const firstEvent = 'files.object.clean'

export const { show: askForRule, submit: add } = formPage({
  path: '/automation/rules/new',
  summary: 'Create a rule',
  section,
  permission: 'areas:write',
  query,
  fields,
  async view({ db, member, filled, fault, query: { event = firstEvent, action = 'job' } }) {
    const choices = await findChoices(db, member.orgId)
    const main = html`${parentLink('Automation', section.path)}<h1>Create a rule</h1>
${chooser(event, action)}${renderFault(fault)}
${ruleForm(member, filled, { event, type: action, choices, back: section.path, button: 'Create rule' })}`
    return { title: 'Create a rule', main }
  },
  async submit({ ask, given, query: { event = firstEvent, action = 'job' } }) {
    const { rows: numbers, conditions } = readConditions(given)
    const body = { ...settingsOf(given), event, conditions, action: readAction(action, given, undefined) }
    const { id } = await atFields(ask(create, { body }, z.object({ id: z.string() })), action, numbers)
    return { to: rulePath(id), told: 'Rule created.' }
  },
})

const params = z.object({ rule_id: pathId('rule') })

export const { show: askForChange, submit: change } = formPage({
  path: '/automation/rules/{rule_id}/edit',
  summary: 'Edit a rule',
  section,
  permission: 'areas:write',
  params,
  query,
  fields,
  async view({ db, member, filled, fault, params: { rule_id: id }, query: wanted }) {
    const rule = await mustFind(rows.find(db, member.orgId, id), 'rule')
    const { event = rule.event, action: type = rule.action.type } = wanted
    const choices = await findChoices(db, member.orgId)
    const main = html`${parentLink(rule.name, rulePath(id))}<h1>Edit rule</h1>
${chooser(event, type)}${renderFault(fault)}
${ruleForm(member, filled, { event, type, rule, choices, back: rulePath(id), button: 'Save' })}`
    return { title: 'Edit rule', main }
  },
  async submit({ db, member, ask, given, params: { rule_id: id }, query: wanted }) {
    const rule = await mustFind(rows.find(db, member.orgId, id), 'rule')
    const { event = rule.event, action: type = rule.action.type } = wanted
    const { rows: numbers, conditions } = readConditions(given)
    const body = { ...settingsOf(given), event, conditions, action: readAction(type, given, rule.action) }
    await atFields(ask(update, { params: { id }, body }, z.unknown()), type, numbers)
    return { to: rulePath(id), told: 'Rule saved.' }
  },
})

function settingsOf({ name = '', mode, max_per_minute }: Readonly<Record<string, unknown>>) {
  return {
    name: String(name).trim(),
    mode: mode === undefined ? null : mode,
    ...(max_per_minute !== undefined && { max_per_minute: Number(max_per_minute) }),
  }
}

async function findChoices(db: Db, orgId: string): Promise<Choices> {
  const part = { before: undefined, limit: 200 }
  const found = await templates.list(db, orgId, part)
  return {
    workflows: (await workflows.list(db, orgId, part)).map(({ key }) => key),
    templates: found
      .filter(({ kind }) => kind === 'email')
      .map(({ id, alias, name }) => [alias ?? id, alias === null ? name : `${name} (${alias})`] as const),
  }
}

const events = [
  ...allTypes.map((type) => [type, type] as const),
  ...[...typePatterns].filter((one) => one !== '*').map((one) => [one, `${one} (all events of the group)`] as const),
].sort(([a], [b]) => (a < b ? -1 : 1))

/** Form that selects the event and the action. The other form then has their fields. */
const chooser = (event: string, type: Action['type']): Html =>
  html`<form class="form" method="get"><div class="pair">
${selectField(unfilled, { name: 'event', label: 'Event', options: events, otherwise: event })}
${selectField(unfilled, { name: 'action', label: 'Action', options: actionTypes.map((one) => [one, actionTitles[one]]), otherwise: type })}</div>
<p class="hint">${eventWords(event)}</p>
<p class="actions"><button class="plain">Show fields</button></p></form>`

const unfilled: FormState = { given: {}, faults: {} }

function eventWords(event: string): string {
  const types = typesOf(event)
  const [first] = types
  return types.length === 1 && first ? eventKinds[first].summary : `${types.length} event types match ${event}.`
}

const modes = [
  ['live', 'live only'],
  ['test', 'test only'],
  ['', 'live and test'],
] as const

function ruleForm(
  member: Member,
  filled: FormState,
  given: { event: string; type: Action['type']; rule?: rows.Rule; choices: Choices; back: string; button: string },
): Html {
  const { event, type, rule, choices, back, button } = given
  const paths = [...new Set(typesOf(event).flatMap((one) => listEventFields(one).map(({ path }) => path)))].slice(
    0,
    300,
  )
  const conditions = rule && rule.event === event ? rule.conditions : []
  return html`<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'name', label: 'Name', required: true, otherwise: rule?.name ?? '', hint: 'For example, Import invoices.' })}
${filled.faults.event && html`<p class="fault">${filled.faults.event}</p>`}
${conditionInputs(filled, conditions, paths)}
<fieldset class="field group"><legend>Action: ${actionTitles[type]}</legend>
${filled.faults.action && html`<p class="fault">${filled.faults.action}</p>`}
${actionInputs(type, filled, rule?.action, choices)}</fieldset>
<div class="pair">${selectField(filled, { name: 'mode', label: 'Mode of the events', options: modes, otherwise: rule ? (rule.mode ?? '') : 'live' })}
${textField(filled, { name: 'max_per_minute', label: 'Runs per minute', type: 'number', otherwise: String(rule?.max_per_minute ?? 600), hint: 'Further runs are recorded as limited.' })}</div>
${fieldList(event)}
<p class="actions"><button>${button}</button> <a class="button plain" href="${back}">Cancel</a></p></form>`
}

/** Lists the fields of the event for conditions and placeholders. */
function fieldList(event: string): Html | false {
  const types = typesOf(event)
  const [type] = types
  if (types.length !== 1 || !type) return false
  return html`<details><summary>Fields of ${type}</summary><pre tabindex="0" aria-label="Fields of the event">${listEventFields(
    type,
  )
    .map(({ path, type: kind, description }) => `${path}: ${kind}${description && `. ${description}`}`)
    .join('\n')}</pre></details>`
}
