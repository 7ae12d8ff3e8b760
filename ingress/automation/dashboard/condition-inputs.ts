import { z } from 'zod'
import { type Condition, maxConditions, operators } from '#sql/automation/conditions.ts'
import { type FormState, optionalField, selectField, textField, textOf } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'

const text = optionalField(z.string().max(2_000))

const numbers = Array.from({ length: maxConditions }, (_, i) => i)

export const conditionFields = Object.fromEntries(
  numbers.flatMap((i) => [`path_${i}`, `operator_${i}`, `value_${i}`].map((name) => [name, text] as const)),
)

const operatorWords: Readonly<Record<Condition['operator'], string>> = {
  eq: 'equals',
  ne: 'does not equal',
  in: 'is one of',
  contains: 'contains',
  exists: 'exists',
  gt: 'is greater than',
  lt: 'is less than',
}

/** Renders the conditions: the filled rows and one empty row. Further rows open on request. */
export function conditionInputs(filled: FormState, now: readonly Condition[], paths: readonly string[]): Html {
  const isFilled = (i: number) =>
    textOf(filled, `path_${i}`, now[i]?.path).trim() !== '' || filled.faults[`path_${i}`] !== undefined
  const shown = Math.min(maxConditions, (numbers.findLast(isFilled) ?? -1) + 2)
  const rows = numbers.map((i) => conditionRow(filled, i, now[i]))
  return html`<fieldset class="field group"><legend>Conditions</legend>
<p class="hint">Optional. The rule starts only if all conditions are true. Separate several values of “is one of” with commas.</p>
${filled.faults.conditions && html`<p class="fault">${filled.faults.conditions}</p>`}
${rows.slice(0, shown)}
${shown < maxConditions && html`<details><summary>More conditions</summary>${rows.slice(shown)}</details>`}
<datalist id="event-paths">${paths.map((one) => html`<option value="${one}"></option>`)}</datalist></fieldset>`
}

const options = operators.map((one) => [one, operatorWords[one]] as const)

const conditionRow = (filled: FormState, i: number, now: Condition | undefined): Html =>
  html`<div class="condition thirds" role="group" aria-label="Condition ${i + 1}">
${textField(filled, { name: `path_${i}`, label: 'Field', list: 'event-paths', otherwise: now?.path ?? '' })}
${selectField(filled, { name: `operator_${i}`, label: 'Operator', options, otherwise: now?.operator ?? 'eq' })}
${textField(filled, { name: `value_${i}`, label: 'Value', otherwise: now ? writeValue(now.value) : '' })}</div>`

const writeValue = (value: unknown): string =>
  value === undefined ? '' : Array.isArray(value) ? value.map(String).join(', ') : String(value)

/** Renders a condition in words. */
export const conditionWords = ({ path, operator, value }: Condition): Html =>
  html`<code>${path}</code> ${operator === 'exists' && value === false ? 'does not exist' : operatorWords[operator]}${operator !== 'exists' && html` <code>${writeValue(value)}</code>`}`

/** Returns the conditions of a form, with the number of the row of each. Rows without a field are left out. */
export function readConditions(given: Readonly<Record<string, unknown>>) {
  const rows = numbers.filter((i) => given[`path_${i}`] !== undefined)
  const conditions = rows.map((i) => {
    const operator = (given[`operator_${i}`] ?? 'eq') as Condition['operator']
    return {
      path: String(given[`path_${i}`]).trim(),
      operator,
      value: readValue(operator, String(given[`value_${i}`] ?? '')),
    }
  })
  return { rows, conditions }
}

function readValue(operator: Condition['operator'], text: string): unknown {
  if (operator === 'exists') return text.trim() !== 'false' && text.trim() !== 'no'
  if (operator === 'in') return text.split(',').flatMap((one) => one.trim() || [])
  if (operator === 'gt' || operator === 'lt')
    return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text
  return text === 'null' ? null : text
}
