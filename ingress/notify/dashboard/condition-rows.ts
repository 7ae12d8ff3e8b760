import { maxConditions } from '#sql/notify/step-conditions.ts'
import { type FormState, selectField, textField, textOf } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'
import { operatorWords } from './step-words.ts'

/** Renders the conditions of a step: the filled rows and one empty row. Further rows open on request. */
export function conditionRows(
  filled: FormState,
  fields: readonly string[],
  { isBranch = false }: { isBranch?: boolean } = {},
): Html {
  const isFilled = (i: number) =>
    [`field_${i}`, `value_${i}`].some((name) => textOf(filled, name).trim() !== '' || filled.faults[name])
  const last = Array.from({ length: maxConditions }, (_, i) => i).findLast(isFilled) ?? -1
  const shown = Math.min(maxConditions, last + 2)
  const rows = Array.from({ length: maxConditions }, (_, i) => conditionRow(filled, i))
  return html`<fieldset class="field group"><legend>Conditions</legend>
<p class="hint">${isBranch ? 'If all conditions are true, the first steps of the branch run. Otherwise, the other steps run.' : 'Optional. The step is skipped unless all conditions are true.'}</p>
${rows.slice(0, shown)}
${shown < maxConditions && html`<details><summary>More conditions</summary>${rows.slice(shown)}</details>`}
<datalist id="condition-fields">${fields.map((one) => html`<option value="${one}"></option>`)}</datalist></fieldset>`
}

const operators = Object.entries(operatorWords)

const conditionRow = (filled: FormState, i: number): Html =>
  html`<div class="condition" role="group" aria-label="Condition ${i + 1}">
${textField(shortened(filled, `field_${i}`), { name: `field_${i}`, label: 'Field', list: 'condition-fields', placeholder: 'data.total' })}
${selectField(filled, { name: `operator_${i}`, label: 'Operator', options: operators })}
${textField(filled, { name: `value_${i}`, label: 'Value' })}</div>`

/** The API lists all fields, which are already suggested here. */
const shortened = ({ given, faults }: FormState, name: string): FormState => ({
  given,
  faults: faults[name]
    ? { ...faults, [name]: 'must be data.…, person.data.…, fetch.<name>.… or a suggested field' }
    : faults,
})
