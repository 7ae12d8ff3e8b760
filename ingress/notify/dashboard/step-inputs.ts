import { fixedFields } from '#sql/notify/step-conditions.ts'
import { checkBoxes, type FormState, linesField, selectField, textField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'
import { conditionRows } from './condition-rows.ts'
import type { StepKind } from './step-icons.ts'
import { dayWords, timeUnits } from './step-words.ts'
import { type NamedTemplate, templateField } from './template-field.ts'

interface Choices {
  /** Type of the events that start the workflow. */
  type: string
  /** Event types that have a text. */
  types: readonly string[]
  templates: readonly NamedTemplate[]
}

export function stepInputs(kind: StepKind, filled: FormState, choices: Choices): Html {
  if (kind === 'digest')
    return html`${timeInputs(filled, 'Window', '30')}
${textField(filled, { name: 'key', label: 'Group by', hint: 'Optional. Each value has its own window. For example, data.project.' })}`
  return html`${ownInputs(kind, filled, choices)}${conditionRows(filled, conditionFields, { isBranch: kind === 'branch' })}`
}

function ownInputs(kind: StepKind, filled: FormState, { type, types, templates }: Choices): Html | undefined {
  switch (kind) {
    case 'branch':
      return undefined
    case 'fetch':
      return fetchInputs(filled)
    case 'schedule':
      return scheduleInputs(filled)
    case 'throttle':
      return throttleInputs(filled)
    case 'wait':
      return html`${timeInputs(filled, 'Time', '10')}
${selectField(filled, { name: 'until', label: 'Then', options: untils, hint: 'Unread and unseen need an earlier step with the channel “In-app inbox”.' })}
`
    default:
      return html`${textField(filled, { name: 'text', label: 'Text', list: 'text-types', hint: html`Optional. Event type whose text is used. Default: <code>${type}</code>.` })}
<datalist id="text-types">${types.map((one) => html`<option value="${one}"></option>`)}</datalist>
${kind === 'whatsapp' && templateInputs(filled)}${kind === 'email' && templateField(filled, templates, 'Optional. Template of this step. Default: the template of the text.')}`
  }
}

const throttleInputs = (filled: FormState): Html =>
  html`${textField(filled, { name: 'runs', label: 'Runs', type: 'number', otherwise: '1', required: true, hint: 'From 1 to 100. Further runs of the person within the window stop here.' })}
${timeInputs(filled, 'Window', '60')}
${textField(filled, { name: 'key', label: 'Count by', hint: 'Optional. Each value is counted separately. For example, data.project.' })}`

const untils = [
  ['', 'Continue'],
  ['unread', 'Continue if the item is unread'],
  ['unseen', 'Continue if the item is unseen'],
] as const

const fetchInputs = (filled: FormState): Html =>
  html`<p class="hint">Millrace signs each request with the <a href="/app/notify/fetch-secret">fetch secret</a>.</p>
<div class="pair">${textField(filled, { name: 'name', label: 'Name', required: true, hint: 'For example, order. Fields of the response are fetch.order.…' })}
${selectField(filled, { name: 'method', label: 'Method', options: ['GET', 'POST'].map((one) => [one, one] as const), hint: 'POST sends the event and the person.' })}</div>
${textField(filled, { name: 'url', label: 'URL', required: true, hint: 'Path and query can have placeholders. For example, https://shop.example.com/orders/{{data.order}}.' })}
<div class="pair">${textField(filled, { name: 'timeout_seconds', label: 'Time limit in seconds', type: 'number', otherwise: '5', hint: 'From 1 to 15, for each of up to 4 attempts.' })}
${selectField(filled, { name: 'on_failure', label: 'After a failure', options: failures })}</div>`

const failures = [
  ['continue', 'Continue without the fields'],
  ['stop', 'Stop the run'],
] as const

const scheduleInputs = (filled: FormState): Html =>
  html`<div class="pair">${textField(filled, { name: 'from', label: 'From', required: true, otherwise: '09:00', hint: 'Local time of the person, such as 09:00.' })}
${textField(filled, { name: 'to', label: 'To', hint: 'Optional. A run that arrives before this time continues immediately. For example, 17:00.' })}</div>
${checkBoxes(filled, { name: 'days', label: 'Days', hint: 'Optional. Default: every day.', options: Object.entries(dayWords) })}`

const timeInputs = (filled: FormState, label: string, otherwise: string): Html =>
  html`<div class="pair">${textField(filled, { name: 'amount', label, type: 'number', otherwise, required: true, hint: 'From 1 minute to 30 days.' })}
${selectField(filled, { name: 'unit', label: 'Unit', options: Object.keys(timeUnits).map((unit) => [unit, unit] as const) })}</div>`

const templateInputs = (filled: FormState): Html =>
  html`<fieldset class="field group"><legend>WhatsApp template</legend>
<p class="hint">WhatsApp requires an approved template for people who have not written within 24 hours.</p>
<div class="pair">${textField(filled, { name: 'template_name', label: 'Template name', hint: 'For example, order_shipped.' })}
${textField(filled, { name: 'template_language', label: 'Template language', hint: 'For example, en or en_US.' })}</div>
${linesField(filled, { name: 'template_variables', label: 'Variables', few: true, hint: 'Optional. One value in each line, with placeholders. For example, {{data.order}}.' })}</fieldset>`

const conditionFields = ['data.', 'person.data.', ...fixedFields]
