import type { Context } from 'koa'
import { z } from 'zod'
import { badRequest, type Fault, Problem } from '#lib/errors.ts'
import { readBody } from '../request/body.ts'
import { parseWithFaults } from '../request/issues.ts'
import { checkText } from '../request/json.ts'
import { type Content, type Html, html } from './html.ts'

/** Maximum size of a form in bytes, and maximum number of fields. The largest form has 150 check boxes. */
const [maxBytes, maxFields] = [64 * 1024, 400]

/** Submitted form values by name. A repeated name has several strings. */
export type FormValues = Readonly<Record<string, string | readonly string[]>>

/** Returns the submitted fields. Throws 413, 415, and 400 for text that Postgres cannot store. */
export async function readGiven(ctx: Context, limit = maxBytes): Promise<FormValues> {
  if (!ctx.is('application/x-www-form-urlencoded')) {
    throw new Problem(415, 'unsupported_media_type', 'Send the form as application/x-www-form-urlencoded.')
  }
  const all = new Map<string, string[]>()
  let fields = 0
  for (const [name, value] of new URLSearchParams((await readBody(ctx.req, ctx.res, limit)).toString())) {
    if (++fields > maxFields) throw badRequest([{ field: 'form', issue: `must have at most ${maxFields} fields` }])
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

/** Parses the fields with `schema`. Throws 400 with every invalid field. */
export function parseForm<S extends z.ZodType>(schema: S, given: FormValues): z.output<S> {
  const faults: Fault[] = []
  const parsed = parseWithFaults(schema, given, 'form', faults)
  if (faults.length > 0) throw badRequest(faults)
  return parsed as z.output<S>
}

export const repeatedField = <S extends z.ZodType<unknown, string>>(item: S) =>
  z.preprocess((value) => (value === undefined ? [] : [value].flat()), z.array(item))

export const optionalField = <S extends z.ZodType>(item: S) =>
  z.preprocess((value) => (typeof value === 'string' && value.trim() === '' ? undefined : value), item.optional())

export interface FormState {
  given: FormValues
  faults: Readonly<Record<string, string>>
}

export function getFieldFaults(problem: Problem): FormState['faults'] {
  const details = Array.isArray(problem.details) ? (problem.details as Partial<Fault>[]) : []
  const named = details.flatMap(({ field, issue }) =>
    typeof field === 'string' && typeof issue === 'string' ? [[fieldOf(field), issue] as const] : [],
  )
  return Object.fromEntries(named)
}

const fieldOf = (field: string): string => field.replace(/^(form|body|query|path)\./, '').split('.')[0] as string

export const textOf = ({ given }: FormState, name: string, otherwise = ''): string =>
  String([given[name] ?? otherwise].flat()[0] ?? '')

export function field(
  filled: FormState,
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

export function textField(
  filled: FormState,
  given: {
    name: string
    label: string
    hint?: Content
    type?: 'text' | 'email' | 'url' | 'number' | 'date' | 'datetime-local'
    otherwise?: string
    required?: boolean
    autocomplete?: string
    placeholder?: string
    /** ID of the `datalist` with suggestions. */
    list?: string
  },
): Html {
  const { name, type = 'text', otherwise, required = false, autocomplete = 'off', placeholder, list } = given
  return field(filled, {
    ...given,
    control: (described) =>
      html`<input id="${name}" name="${name}" type="${type}" value="${textOf(filled, name, otherwise)}" autocomplete="${autocomplete}"${list && html` list="${list}"`}${placeholder && html` placeholder="${placeholder}"`}${required && html` required`}${described}>`,
  })
}

export function linesField(
  filled: FormState,
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

export const splitCommaWords = (text: string): string[] => [
  ...new Set(text.split(',').flatMap((word) => word.trim() || [])),
]

export function selectField(
  filled: FormState,
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

export function checkBoxes(
  filled: FormState,
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
