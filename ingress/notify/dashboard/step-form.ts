import { z } from 'zod'
import { fixedFields, maxConditions, type Step } from '#sql/notify/workflow-steps.ts'
import { type FormState, linesField, optionalField, selectField, textField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'
import { conditionRows } from './condition-rows.ts'
import { kindOf, type StepKind } from './step-icons.ts'
import { splitMinutes, type TimeUnit, timeUnits } from './step-words.ts'
import { type NamedTemplate, templateField } from './template-field.ts'

const text = optionalField(z.string())

const conditionNames = Array.from({ length: maxConditions }, (_, i) => [`field_${i}`, `operator_${i}`, `value_${i}`])

/** Fields of every kind of step. A form has the fields of its kind. */
export const StepFields = z
  .object({
    seen: text,
    at: text,
    text,
    template_name: text,
    template_language: text,
    template_variables: text,
    template_id: text,
    amount: text,
    unit: z.enum(['minutes', 'hours', 'days']).default('minutes'),
    until: text,
    key: text,
  })
  .extend(Object.fromEntries(conditionNames.flat().map((name) => [name, text])))

export type GivenStep = z.output<typeof StepFields> & Record<string, unknown>

/** Returns the step of a form as the API accepts it. The API checks it. */
export function toStep(kind: StepKind, given: GivenStep): unknown {
  const conditions = rowsOf(given).map(({ field, operator, value }) => ({ field, operator, ...(value && { value }) }))
  const only = conditions.length > 0 && { conditions }
  if (kind === 'digest')
    return { type: 'digest', minutes: minutesOf(given), ...(given.key && { key: given.key.trim() }) }
  if (kind === 'wait')
    return { type: 'wait', minutes: minutesOf(given), ...(given.until && { until: given.until }), ...only }
  const { template_name: name, template_language: language, template_variables: lines } = given
  const variables = linesOf(lines)
  const template = { name: name ?? '', language: language ?? '', ...(variables.length > 0 && { variables }) }
  const hasTemplate = kind === 'whatsapp' && (name || language || variables.length > 0)
  return {
    ...{ type: 'channel', channel: kind },
    ...(given.text && { text: given.text.trim() }),
    ...(hasTemplate && { template }),
    ...(kind === 'email' && given.template_id && { template_id: given.template_id.trim() }),
    ...only,
  }
}

const linesOf = (lines: string | undefined) => (lines ?? '').split('\n').flatMap((line) => line.trim() || [])

function minutesOf({ amount, unit }: GivenStep): unknown {
  if (amount === undefined) return undefined
  const number = Number(amount)
  return Number.isFinite(number) ? number * timeUnits[unit as TimeUnit] : amount
}

/** Conditions of a form, without empty rows. `row` is the number of the row. */
function rowsOf(given: Readonly<Record<string, unknown>>) {
  return conditionNames.flatMap((_, row) => {
    const [field, value] = [given[`field_${row}`], given[`value_${row}`]].map((one) => String(one ?? '').trim())
    const operator = String(given[`operator_${row}`] ?? 'equal_to')
    return field || value ? [{ row, field: field as string, operator, value: value as string }] : []
  })
}

/** Returns the name of the form’s field for a path in a step, such as `conditions.0.value`. */
export const fieldNamer =
  (given: GivenStep) =>
  (path: string): string | undefined => {
    const [head = '', second, third] = path.split('.')
    if (head === 'minutes') return 'amount'
    if (head === 'template') return second ? `template_${second}` : 'template_name'
    if (head === 'conditions') {
      const row = rowsOf(given)[Number(second)]?.row
      return row === undefined ? undefined : `${third ?? 'field'}_${row}`
    }
    return ['text', 'until', 'key', 'template_id'].includes(head) ? head : undefined
  }

/** Returns a step as the values of its form. */
export function valuesOf(step: Step): Record<string, string> {
  const values: Record<string, string> = {}
  if (step.type !== 'channel') {
    const [amount, unit] = splitMinutes(step.minutes)
    Object.assign(values, { amount: String(amount), unit })
  }
  if (step.type === 'digest') return { ...values, key: step.key ?? '' }
  for (const [i, { field, operator, value }] of (step.conditions ?? []).entries())
    Object.assign(values, { [`field_${i}`]: field, [`operator_${i}`]: operator, [`value_${i}`]: value ?? '' })
  if (step.type === 'wait') return { ...values, until: step.until ?? '' }
  const { name = '', language = '', variables = [] } = step.template ?? {}
  const template = { template_name: name, template_language: language, template_variables: variables.join('\n') }
  const mail = kindOf(step) === 'email' && { template_id: step.template_id ?? '' }
  return { ...values, text: step.text ?? '', ...(kindOf(step) === 'whatsapp' && template), ...mail }
}

interface Choices {
  /** Type of the events that start the workflow. */
  type: string
  /** Event types that have a text. */
  types: readonly string[]
  templates: readonly NamedTemplate[]
}

export function stepInputs(kind: StepKind, filled: FormState, { type, types, templates }: Choices): Html {
  if (kind === 'digest')
    return html`${timeInputs(filled, 'Window', '30')}
${textField(filled, { name: 'key', label: 'Group by', hint: 'Optional. Each value has its own window. For example, data.project.' })}`
  const rows = conditionRows(filled, conditionFields)
  if (kind === 'wait')
    return html`${timeInputs(filled, 'Time', '10')}
${selectField(filled, { name: 'until', label: 'Then', options: untils, hint: 'Unread and unseen need an earlier step with the channel “In-app inbox”.' })}
${rows}`
  return html`${textField(filled, { name: 'text', label: 'Text', list: 'text-types', hint: html`Optional. Event type whose text is used. Default: <code>${type}</code>.` })}
<datalist id="text-types">${types.map((one) => html`<option value="${one}"></option>`)}</datalist>
${kind === 'whatsapp' && templateInputs(filled)}${kind === 'email' && templateField(filled, templates, 'Optional. Template of this step. Default: the template of the text.')}${rows}`
}

const untils = [
  ['', 'Continue'],
  ['unread', 'Continue if the item is unread'],
  ['unseen', 'Continue if the item is unseen'],
] as const

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
