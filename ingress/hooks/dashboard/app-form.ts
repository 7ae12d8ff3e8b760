import { z } from 'zod'
import type * as rows from '#sql/hooks/apps.ts'
import { type FormState, linesField, optionalField, textField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'
import { presentRate } from '../fields.ts'
import { rateFields, rateInputs, toRateField } from './rate-inputs.ts'

const text = optionalField(z.string())

export const appFields = { name: text, uid: text, metadata: text, ...rateFields }

export const appInputs = (
  filled: FormState,
  now?: rows.App,
): Html => html`${textField(filled, { name: 'name', label: 'Name', required: true, otherwise: now?.name ?? '', hint: 'For example, the name of your customer.' })}
${textField(filled, { name: 'uid', label: 'Your ID', otherwise: now?.uid ?? '', hint: 'Optional. API paths accept it instead of the ID of the app.' })}
${linesField(filled, { name: 'metadata', label: 'Metadata', few: true, otherwise: linesOf(now?.metadata ?? {}), hint: 'Optional. One pair per line. For example, plan=pro.' })}
${rateInputs(filled, now && presentRate(now), 'Attempts to all endpoints of the app.')}`

const linesOf = (metadata: Readonly<Record<string, string>>): string =>
  Object.entries(metadata)
    .map(([key, value]) => `${key}=${value}`)
    .join('\n')

/** Returns the fields of an app as the API accepts them. */
export const toApp = ({ name = '', uid, metadata = '', ...rate }: z.output<z.ZodObject<typeof appFields>>) => ({
  name,
  uid: uid ?? null,
  metadata: pairsOf(metadata),
  rate: toRateField(rate),
})

function pairsOf(lines: string): Record<string, string> {
  const pairs = lines.split('\n').flatMap((line) => {
    const [key = '', ...value] = line.trim().split('=')
    return key === '' ? [] : [[key.trim(), value.join('=').trim()] as const]
  })
  return Object.fromEntries(pairs)
}
