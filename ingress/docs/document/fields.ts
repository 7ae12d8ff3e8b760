import { type Content, type Html, html } from '../../http/html/html.ts'
import { inline } from '../markdown.ts'
import type { Field, Shape } from './shapes.ts'

/** Number of an inner object's fields that are visible. Longer objects are collapsed. */
const openFields = 4

/** Returns type and limits, for example `string, uuid, at most 255 characters`. */
const typeAndNotes = ({ type, notes }: Shape): Content =>
  html`<span class="type">${inline([type, ...notes].join(', '))}</span>`

const allowedValues = ({ values }: Shape): Content =>
  values.length > 0 &&
  html`<p class="notes">${values.length === 1 ? 'always' : 'one of'}${values.map((value) => html` <code>${value}</code>`)}</p>`

export function fieldList({ fields, choices }: Shape): Content {
  return html`${fields.length > 0 && html`<ul class="fields">${fields.map(fieldItem)}</ul>`}
${choices.length > 0 && html`<p class="notes">One of:</p>${choices.map((choice) => html`<details class="inner"><summary><code>${choice.title}</code></summary>${choice.description && html`<p>${inline(choice.description)}</p>`}${fieldList(choice)}</details>`)}`}`
}

function fieldItem(field: Field): Html {
  const { name, required, description, fields, choices } = field
  const many = fields.length + choices.length
  const inside = many > 0 && fieldList(field)
  return html`<li><p><code class="name">${name}</code> ${typeAndNotes(field)}${required && html` <span class="required">required</span>`}</p>
${description && html`<p>${inline(description)}</p>`}${allowedValues(field)}
${inside && (many <= openFields ? inside : html`<details class="inner"><summary>${many} fields of <code>${name}</code></summary>${inside}</details>`)}</li>`
}

/** Returns the fields of an object. For any other value, returns its type and allowed values. */
export function valueParts(shape: Shape): Content {
  if (shape.fields.length > 0 || shape.choices.length > 0) {
    const isArray = shape.type.startsWith('array')
    return html`${isArray && html`<p class="notes">${inline(shape.type)}</p>`}${fieldList(shape)}`
  }
  return html`<p>${typeAndNotes(shape)}</p>${allowedValues(shape)}`
}
