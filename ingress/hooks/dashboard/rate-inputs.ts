import { z } from 'zod'
import { type FormState, optionalField, selectField, textField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'

interface RateValue {
  limit: number
  per: 'second' | 'minute'
}

export const rateFields = {
  rate: optionalField(z.string()),
  per: z.enum(['second', 'minute']).default('minute'),
}

export const rateInputs = (filled: FormState, now: RateValue | null | undefined, hint: string): Html =>
  html`<div class="pair">${textField(filled, { name: 'rate', label: 'Rate limit', type: 'number', otherwise: now ? String(now.limit) : '', hint: `Optional. ${hint}` })}
${selectField(filled, {
  name: 'per',
  label: 'Period',
  options: [
    ['minute', 'per minute'],
    ['second', 'per second'],
  ],
  otherwise: now?.per ?? 'minute',
})}</div>`

/** Returns the rate as the API accepts it. `null` without a limit. */
export const toRateField = ({ rate, per }: z.output<z.ZodObject<typeof rateFields>>): RateValue | null =>
  rate === undefined ? null : { limit: Number(rate), per }
