import type { Context } from 'koa'
import { z } from 'zod'
import { badRequest, type Fault, Problem } from '#lib/errors.ts'
import { type Content, type Html, html } from '../console/html.ts'
import { readBody } from '../request/body.ts'
import { check } from '../request/issues.ts'
import { checkText } from '../request/json.ts'

/** Bytes and fields that a form has at most: the largest of ours ticks 150 boxes. */
const [maxBytes, maxFields] = [64 * 1024, 400]

/** What a form was sent with: a text by its name, or several of a name that stands more than once. */
export type Given = Readonly<Record<string, string | readonly string[]>>

/** The fields of a submitted form as they came; throws 400 for what no Postgres text can hold, 413 and 415. */
export async function readGiven(ctx: Context, limit = maxBytes): Promise<Given> {
  if (!ctx.is('application/x-www-form-urlencoded')) {
    throw new Problem(415, 'unsupported_media_type', 'A form is sent as application/x-www-form-urlencoded.')
  }
  const all = new Map<string, string[]>()
  let fields = 0
  for (const [name, value] of new URLSearchParams((await readBody(ctx.req, ctx.res, limit)).toString())) {
    if (++fields > maxFields) throw badRequest([{ field: 'form', issue: `has more than ${maxFields} fields` }])
    const before = all.get(name)
    if (before) before.push(value)
    else all.set(name, [value])
  }
  const given = Object.fromEntries(
    [...all].map(([name, values]) => [name, values.length === 1 ? (values[0] as string) : values]),
  )
  const faults: Fault[] = []
  checkText(given, 'form', faults)
  if (faults.length > 0) throw badRequest(faults)
  return given
}

/** The fields as `schema` wants them; throws 400 that names every bad one. */
export function parseGiven<S extends z.ZodType>(schema: S, given: Given): z.output<S> {
  const faults: Fault[] = []
  const parsed = check(schema, given, 'form', faults)
  if (faults.length > 0) throw badRequest(faults)
  return parsed as z.output<S>
}

/** A field whose name may stand any number of times, as that of check boxes. */
export const many = <S extends z.ZodType<unknown, string>>(item: S) =>
  z.preprocess((value) => (value === undefined ? [] : [value].flat()), z.array(item))

/** A text that may be left empty: then it is undefined. */
export const optional = <S extends z.ZodType>(item: S) =>
  z.preprocess((value) => (typeof value === 'string' && value.trim() === '' ? undefined : value), item.optional())

/** A form as it is shown: what was given last, and what was wrong with it. */
export interface Filled {
  given: Given
  /** What is wrong, by the field's name. */
  faults: Readonly<Record<string, string>>
}

/** The faults of a problem by the form's fields: `form.name`, `body.name` and `name` are one. */
export function faultsOf(problem: Problem): Filled['faults'] {
  const details = Array.isArray(problem.details) ? (problem.details as Partial<Fault>[]) : []
  const named = details.flatMap(({ field, issue }) =>
    typeof field === 'string' && typeof issue === 'string' ? [[fieldOf(field), issue] as const] : [],
  )
  return Object.fromEntries(named)
}

const fieldOf = (field: string): string => field.replace(/^(form|body|query)\./, '').split('.')[0] as string

/** The first text that was given for a field. */
export const textOf = ({ given }: Filled, name: string, otherwise = ''): string =>
  String([given[name] ?? otherwise].flat()[0] ?? '')

/** A labelled field with its hint and its fault, which the control is described by. */
export function field(
  filled: Filled,
  { name, label, hint, control }: { name: string; label: string; hint?: Content; control: (described: Html) => Html },
): Html {
  const fault = filled.faults[name]
  const ids = [hint && `${name}-hint`, fault && `${name}-fault`].filter(Boolean).join(' ')
  const described = html`${ids && html` aria-describedby="${ids}"`}${fault && html` aria-invalid="true"`}`
  return html`<div class="field"><label for="${name}">${label}</label>
${control(described)}
${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}
${fault && html`<p class="fault" id="${name}-fault">${fault}</p>`}</div>`
}

/** A labelled text field. */
export function textField(
  filled: Filled,
  given: {
    name: string
    label: string
    hint?: Content
    type?: 'text' | 'email' | 'url' | 'number' | 'date' | 'datetime-local'
    otherwise?: string
    required?: boolean
    autocomplete?: string
  },
): Html {
  const { name, type = 'text', otherwise, required = false, autocomplete = 'off' } = given
  return field(filled, {
    ...given,
    control: (described) =>
      html`<input id="${name}" name="${name}" type="${type}" value="${textOf(filled, name, otherwise)}" autocomplete="${autocomplete}"${required && html` required`}${described}>`,
  })
}

/** A labelled field of several lines; `few` is less high, `prose` is checked for its spelling. */
export function linesField(
  filled: Filled,
  given: {
    name: string
    label: string
    hint?: Content
    otherwise?: string | undefined
    required?: boolean
    few?: boolean
    rows?: number
    prose?: boolean
  },
): Html {
  const { name, otherwise, required = false, few = false, rows, prose = false } = given
  return field(filled, {
    ...given,
    control: (described) =>
      html`<textarea${few && html` class="few"`} id="${name}" name="${name}"${rows && html` rows="${rows}"`}${!prose && html` spellcheck="false"`}${required && html` required`}${described}>${textOf(filled, name, otherwise)}</textarea>`,
  })
}

/** What a field holds between commas, each word once. */
export const commaWords = (text: string): string[] => [...new Set(text.split(',').flatMap((word) => word.trim() || []))]

/** A labelled choice of one. */
export function selectField(
  filled: Filled,
  given: {
    name: string
    label: string
    hint?: Content
    options: readonly (readonly [string, string])[]
    otherwise?: string
  },
): Html {
  const { name, options, otherwise } = given
  const chosen = textOf(filled, name, otherwise)
  return field(filled, {
    ...given,
    control: (described) =>
      html`<select id="${name}" name="${name}"${described}>${options.map(
        ([value, words]) => html`<option value="${value}"${value === chosen && html` selected`}>${words}</option>`,
      )}</select>`,
  })
}

/** Check boxes of one name, of which any number may be ticked. */
export function checkBoxes(
  filled: Filled,
  given: {
    name: string
    label: string
    hint?: Content
    options: readonly (readonly [string, string, Content?])[]
    otherwise?: readonly string[]
  },
): Html {
  const { name, label, hint, options, otherwise = [] } = given
  const ticked = new Set([filled.given[name] ?? (Object.keys(filled.given).length > 0 ? [] : otherwise)].flat())
  const fault = filled.faults[name]
  return html`<fieldset class="field"><legend>${label}</legend>
${hint && html`<p class="hint">${hint}</p>`}
${fault && html`<p class="fault">${fault}</p>`}
<div class="boxes">${options.map(
    ([value, words, more]) =>
      html`<label><input type="checkbox" name="${name}" value="${value}"${ticked.has(value) && html` checked`}> <span>${words}${more && html` <span class="quiet">${more}</span>`}</span></label>`,
  )}</div></fieldset>`
}
