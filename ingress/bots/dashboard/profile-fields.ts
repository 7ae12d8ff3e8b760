import { z } from 'zod'
import type { Profile } from '#sql/bots/bots.ts'
import { checkBoxes, type FormState, linesField, repeatedField, textField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'

const text = z.string().max(20_000).default('')

export const profileFields = {
  name: text,
  tagline: text,
  description: text,
  category: text,
  languages: text,
  avatar_url: text,
  retention_days: text,
  handover: repeatedField(z.literal('yes')),
}

type Given = z.output<z.ZodObject<typeof profileFields>>

const orNull = (value: string): string | null => value.trim() || null

/** Returns the number in a field. Returns other text unchanged, so that the API rejects it. */
export const numberOrNull = (value: string): number | string | null => {
  if (value.trim() === '') return null
  return Number.isNaN(Number(value)) ? value : Number(value)
}

/** Returns the lines of a field that are not blank. */
export const linesOf = (value: string): string[] =>
  value
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** Returns the profile in the form of the API. */
export const toProfile = (given: Given) => ({
  name: given.name,
  tagline: orNull(given.tagline),
  description: orNull(given.description),
  category: orNull(given.category),
  languages: given.languages.split(/[\s,]+/).filter((word) => word !== ''),
  avatar_url: orNull(given.avatar_url),
  retention_days: numberOrNull(given.retention_days),
  handover: given.handover.length > 0,
})

export const nameInputs = (filled: FormState, now?: Profile): Html => html`
${textField(filled, { name: 'name', label: 'Name', required: true, otherwise: now?.name ?? '', hint: 'For example, Harbour Help. Visitors see the name above the chat.' })}
${textField(filled, { name: 'tagline', label: 'Tagline', otherwise: now?.tagline ?? '', hint: 'Optional. One line about the bot.' })}
${textField(filled, { name: 'languages', label: 'Languages', otherwise: now?.languages.join(', ') ?? '', hint: 'Optional. Language tags, separated by commas. For example, en, de-AT.' })}`

export const handoverInput = (filled: FormState, now?: Profile): Html =>
  checkBoxes(filled, {
    name: 'handover',
    label: 'Handover',
    otherwise: now?.handover ? ['yes'] : [],
    options: [
      ['yes', 'Transfer conversations to a person', 'On request, or after two questions in a row without an answer.'],
    ],
  })

export const directoryInputs = (filled: FormState, now?: Profile): Html => html`
${linesField(filled, { name: 'description', label: 'Description', few: true, prose: true, otherwise: now?.description ?? '', hint: 'Optional. The directory shows it if the bot is published.' })}
${textField(filled, { name: 'category', label: 'Category', otherwise: now?.category ?? '', hint: 'Optional. For example, support.' })}
${textField(filled, { name: 'avatar_url', label: 'Image URL', type: 'url', otherwise: now?.avatar_url ?? '', hint: 'Optional. An https URL of a square image.' })}
${textField(filled, { name: 'retention_days', label: 'Data retention in days', type: 'number', otherwise: now?.retention_days?.toString() ?? '', hint: 'Optional. Conversations are deleted this long after their last message. 1 to 3,650. Leave blank to use the default.' })}`
