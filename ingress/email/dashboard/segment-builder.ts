import { type FormState, selectField, textField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'
import { fields, operators } from './condition-lines.ts'
import { type Builder, type ConditionRow, emptyRow } from './segment-rows.ts'

export const matches = [
  ['all', 'all conditions match'],
  ['any', 'at least one condition matches'],
] as const

/** The fields of a segment: its name, its conditions as rows, and its groups. */
export function segmentBuilder(filled: FormState, name: string, builder: Builder): Html {
  const rows = builder.rows.map((row, i) => ({ row, i }))
  const inGroup = (group: number) => rows.filter(({ row }) => row.group === group)
  const shown = (group: number) => inGroup(group).map(({ row, i }) => conditionRow(row, i, filled.faults[`row${i}`]))
  const isEmpty = builder.rows.length === 0
  return html`${textField(filled, { name: 'name', label: 'Name', required: true, otherwise: name })}
${filled.faults.conditions && html`<p class="fault" id="conditions-fault">${filled.faults.conditions}</p>`}
<fieldset class="condition-group"><legend>Conditions</legend>
${selectField({ given: { match: builder.match }, faults: {} }, { name: 'match', label: 'Contacts for which', options: matches })}
${isEmpty ? conditionRow(emptyRow(0), 0, undefined) : shown(0)}
<p class="actions"><button class="plain" name="what" value="add:0" formnovalidate>Add condition</button></p></fieldset>
${builder.groups.map((match, i) => groupOf(match, i + 1, shown(i + 1)))}
<p class="hint">In attributes, numbers and true or false are compared by their value. Put text that looks like a number in quotes. A date is, for example, 2026-01-31.</p>`
}

const groupOf = (match: string, number: number, rows: readonly Html[]): Html =>
  html`<fieldset class="condition-group"><legend>Group ${number}: counts as one condition</legend>
<div class="field"><label for="group-match-${number}">Contacts for which</label><select id="group-match-${number}" name="group_match">${matches.map(
    ([value, words]) => html`<option value="${value}"${value === match && html` selected`}>${words}</option>`,
  )}</select></div>${rows}
<p class="actions"><button class="plain" name="what" value="add:${number}" formnovalidate>Add condition</button></p></fieldset>`

function conditionRow({ group, field, path, op, value }: ConditionRow, i: number, fault: string | undefined): Html {
  const invalid = fault !== undefined && html` aria-invalid="true" aria-describedby="row${i}-fault"`
  return html`<div class="condition" role="group" aria-label="Condition ${i + 1}"><input type="hidden" name="group" value="${group}">
<div><label for="field-${i}">Field</label><select id="field-${i}" name="field"${invalid}>${fields.map(
    ([name, words]) => html`<option value="${name}"${name === field && html` selected`}>${words}</option>`,
  )}</select></div>
<div class="of-attribute"><label for="path-${i}">Attribute</label><input id="path-${i}" name="path" value="${path}" placeholder="city" autocomplete="off"${invalid}></div>
<div><label for="op-${i}">Operator</label><select id="op-${i}" name="op"${invalid}>${operators.map(
    ([name, words, of]) =>
      html`<option value="${name}" data-of="${of}"${name === op && html` selected`}>${words}</option>`,
  )}</select></div>
<div class="of-value"><label for="value-${i}">Value</label><input id="value-${i}" name="value" value="${value}" autocomplete="off"${invalid}></div>
<button class="plain" name="what" value="drop:${i}" formnovalidate>Remove<span class="unseen"> condition ${i + 1}</span></button>
${fault !== undefined && html`<p class="fault" id="row${i}-fault">${fault}</p>`}</div>`
}
