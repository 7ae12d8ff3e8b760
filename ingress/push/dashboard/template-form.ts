import { z } from 'zod'
import { badRequest, type Fault, Problem } from '#lib/errors.ts'
import type { Template, Text } from '#sql/push/templates.ts'
import { type FormState, type FormValues, linesField, textField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'

/** Number of languages that the form has fields for. Other languages of a template stay as they are. */
export const mostLanguages = 20

const parts = ['locale', 'title', 'body', 'data'] as const

type Part = (typeof parts)[number]

const nameOf = (part: Part, i: number): string => `${part}_${i}`

const slots = Array.from({ length: mostLanguages }, (_, i) => i)

const text = z.string().default('')

/** Fields of the form: the name, the default language, and the parts of each language by number. */
export const templateFields = z.object({
  name: text,
  default_locale: text,
  version: text,
  examples: text,
  shown: text,
  ...Object.fromEntries(slots.flatMap((i) => parts.map((part) => [nameOf(part, i), text]))),
})

const read = (given: FormValues, name: string): string => String([given[name] ?? ''].flat()[0] ?? '')

/** Returns the languages in the form with their numbers. A language without any text is left out. */
export function readLanguages(given: FormValues): { i: number; locale: string; text: Text; faults: Fault[] }[] {
  return slots.flatMap((i) => {
    const [locale, title, body, data] = parts.map((part) => read(given, nameOf(part, i)))
    if (![locale, title, body, data].some((one) => one?.trim())) return []
    const faults: Fault[] = []
    const values = readPairs(data ?? '', (issue) => faults.push({ field: `form.${nameOf('data', i)}`, issue }))
    const found: Text = {
      ...(title?.trim() && { title: title.trim() }),
      ...(body?.trim() && { body: body.replaceAll('\r\n', '\n').trim() }),
      ...(Object.keys(values).length > 0 && { data: values }),
    }
    return [{ i, locale: locale?.trim() ?? '', text: found, faults }]
  })
}

/** Reads lines of the form `name=value`. */
export function readPairs(lines: string, fault: (issue: string) => void = () => {}): Record<string, string> {
  const pairs = lines.split('\n').flatMap((line): [string, string][] => {
    const at = line.indexOf('=')
    if (line.trim() === '') return []
    if (at > 0) return [[line.slice(0, at).trim(), line.slice(at + 1).trim()]]
    fault(`must have lines of the form name=value, but has ${line.trim().slice(0, 50)}`)
    return []
  })
  return Object.fromEntries(pairs)
}

/** Returns the texts by language. Throws 400 with each invalid language at its field. */
export function toLocales(given: FormValues): Record<string, Text> {
  const found = readLanguages(given)
  const faults = found.flatMap((one) => one.faults)
  for (const [n, { i, locale, text }] of found.entries()) {
    if (locale === '') faults.push({ field: `form.${nameOf('locale', i)}`, issue: 'is required' })
    else if (found.findIndex((one) => one.locale === locale) !== n)
      faults.push({ field: `form.${nameOf('locale', i)}`, issue: 'must be different from the other languages' })
    if (Object.keys(text).length === 0)
      faults.push({ field: `form.${nameOf('title', i)}`, issue: 'is required, or a text' })
  }
  if (found.length === 0) faults.push({ field: 'form.title_0', issue: 'is required, or a text' })
  if (faults.length > 0) throw badRequest(faults)
  return Object.fromEntries(found.map(({ locale, text }) => [locale, text]))
}

/** Moves the faults of the API to the fields of their languages. */
export async function atFields<T>(work: Promise<T>, given: FormValues): Promise<T> {
  const numbers = new Map(readLanguages(given).map(({ i, locale }) => [locale, i]))
  try {
    return await work
  } catch (error) {
    if (!(error instanceof Problem) || !Array.isArray(error.details)) throw error
    const details = (error.details as Fault[]).map((fault) => {
      const [, locale = '', part = 'locale'] = /^body\.locales\.([^.]+)(?:\.(\w+))?/.exec(fault.field) ?? []
      const i = numbers.get(locale)
      if (i === undefined) return { ...fault, field: fault.field.replace('body.locales', 'body.title_0') }
      return { ...fault, field: `form.${nameOf(parts.find((one) => one === part) ?? 'locale', i)}` }
    })
    throw new Problem(error.status, error.code, error.message, { details })
  }
}

/** Returns the values of the form for a template. */
export function valuesOf({
  name,
  default_locale,
  locales,
  version,
}: Pick<Template, 'name' | 'default_locale' | 'locales' | 'version'>): FormValues {
  const languages = Object.entries(locales).slice(0, mostLanguages)
  const ofLanguage = languages.flatMap(([locale, { title = '', body = '', data = {} }], i) => [
    [nameOf('locale', i), locale],
    [nameOf('title', i), title],
    [nameOf('body', i), body],
    [
      nameOf('data', i),
      Object.entries(data)
        .map((pair) => pair.join('='))
        .join('\n'),
    ],
  ])
  return { name, default_locale, version: String(version), ...Object.fromEntries(ofLanguage) }
}

/** Renders the fields of all languages in the form, and of one more. */
export function languageFields(filled: FormState): Html {
  const used = readLanguages(filled.given).map(({ i }) => i)
  const next = slots.find((i) => !used.includes(i) && i > Math.max(-1, ...used))
  const shown = used.length === 0 ? [0] : used
  return html`${shown.map((i) => html`<fieldset class="field"><legend>Language ${i + 1}</legend>${fieldsOf(filled, i)}</fieldset>`)}
${used.length > 0 && next !== undefined && html`<details class="field"><summary>Add a language</summary><fieldset><legend>Language ${next + 1}</legend>${fieldsOf(filled, next)}</fieldset></details>`}`
}

const fieldsOf = (filled: FormState, i: number): Html => html`
${textField(filled, { name: nameOf('locale', i), label: 'Language code', otherwise: i === 0 ? 'en' : '', hint: 'For example, en or de-AT.' })}
${textField(filled, { name: nameOf('title', i), label: 'Title', hint: i === 0 && 'Variables are {{order}}, {{name}} and so on.' })}
${linesField(filled, { name: nameOf('body', i), label: 'Text', few: true, prose: true })}
${linesField(filled, { name: nameOf('data', i), label: 'Data', few: true, hint: 'Optional. One name=value per line, for the app.' })}`
