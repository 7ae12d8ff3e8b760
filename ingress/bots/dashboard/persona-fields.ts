import { z } from 'zod'
import { type Fault, Problem } from '#lib/errors.ts'
import type { Persona, Variable } from '#sql/bots/versions.ts'
import { type FormState, linesField, textField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'
import { linesOf, numberOrNull } from './profile-fields.ts'

const text = z.string().max(20_000).default('')

export const personaFields = {
  system_prompt: text,
  greeting: text,
  fallback: text,
  starter_questions: text,
  temperature: text,
  max_tokens: text,
}

type Given = z.output<z.ZodObject<typeof personaFields>>

const prefix = 'value_'

/** Adds one field per placeholder to the fields of a form. A form accepts other fields, because prompts change. */
export const withValues = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.object(shape).catchall(z.union([z.string(), z.array(z.string())]))

/** Returns the values of placeholders in a form. Conversations fill placeholders without a value. */
export function valuesOf(given: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, string> {
  const values = names.map((name) => [name, String(given[fieldOf(name)] ?? '').trim()] as const)
  return Object.fromEntries(values.filter(([, value]) => value !== ''))
}

/** Moves the faults of values and lists to the fields of the form. */
export async function atFields<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof Problem) || !Array.isArray(error.details)) throw error
    const details = (error.details as Fault[]).map(({ field, issue }) => ({
      field: field.replace(/^body\.variables\.([\w.]+)$/, (_, name: string) => `form.${fieldOf(name)}`),
      issue,
    }))
    throw new Problem(error.status, error.code, error.message, { details })
  }
}

const fieldOf = (name: string): string => prefix + name.replaceAll('.', '-')

/** Returns the persona in the form of the API. `system_prompt` is left out if the bot uses a template. */
export const toPersona = (given: Given) => ({
  greeting: given.greeting.trim() || null,
  ...(given.fallback.trim() !== '' && { fallback: given.fallback }),
  starter_questions: linesOf(given.starter_questions),
  temperature: numberOrNull(given.temperature),
  ...(given.max_tokens.trim() !== '' && { max_tokens: numberOrNull(given.max_tokens) }),
})

export const promptInput = (filled: FormState, now?: string): Html =>
  linesField(filled, {
    name: 'system_prompt',
    label: 'Instructions',
    required: true,
    prose: true,
    rows: 10,
    otherwise: now ?? '',
    hint: html`What the bot knows about its task, its tone and its limits. For example, <q>You answer customers of Harbour Bikes. Use only the documents.</q> Placeholders such as <code>{{company}}</code> are allowed.`,
  })

export const valueInputs = (
  filled: FormState,
  variables: readonly Variable[],
  now: Readonly<Record<string, string>> = {},
): Html[] =>
  variables.map(({ key, label, required }) =>
    textField(filled, {
      name: fieldOf(key),
      label: label === key ? `Value of {{${key}}}` : label,
      otherwise: now[key] ?? '',
      hint: html`Replaces <code>{{${key}}}</code>. ${required ? 'If the field is blank, each conversation must fill it.' : 'Optional. If the field is blank, each conversation can fill it.'}`,
    }),
  )

export const replyInputs = (filled: FormState, now?: Partial<Persona>): Html => html`
${linesField(filled, { name: 'greeting', label: 'Greeting', few: true, prose: true, otherwise: now?.greeting ?? '', hint: 'Optional. First message of the bot.' })}
${linesField(filled, { name: 'fallback', label: 'Fallback', few: true, prose: true, otherwise: now?.fallback ?? 'I do not know that.', hint: 'Text that the bot returns if it has no answer.' })}
${linesField(filled, { name: 'starter_questions', label: 'Starter questions', few: true, prose: true, otherwise: now?.starter_questions?.join('\n') ?? '', hint: 'Optional. One question per line, up to 10. Visitors can select them.' })}`

export const modelInputs = (filled: FormState, now?: Partial<Persona>): Html => html`
${textField(filled, { name: 'temperature', label: 'Temperature', otherwise: now?.temperature?.toString() ?? '', hint: 'Optional. 0 to 2. Lower values make answers more predictable.' })}
${textField(filled, { name: 'max_tokens', label: 'Maximum length of an answer in tokens', type: 'number', otherwise: now?.max_tokens?.toString() ?? '', hint: 'Optional. 16 to 2,048. Default: 512.' })}`
