import { z } from 'zod'
import { normaliseWords } from '#tasks/bots/rules/fingerprint.ts'
import { text } from './fields.ts'

const mostParameters = 20

/** Maximum length of the JSON Schema in characters. The model receives the schema with every question. */
const mostSchema = 4_000

export const ActionName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,62}$/, 'must be 1 to 63 characters (a-z, 0-9 and _) and start with a letter')

const Parameter = z
  .strictObject({
    type: z.enum(['string', 'integer', 'number', 'boolean']),
    description: text(300).optional(),
    enum: z.array(text(100)).min(1).max(50).optional().describe('Allowed values of a string'),
  })
  .refine(({ type, enum: values }) => values === undefined || type === 'string', {
    error: 'can only be used with the type `string`',
    path: ['enum'],
  })

const Property = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_]{0,62}$/, 'must be 1 to 63 letters, digits or _ and start with a letter')

/**
 * JSON Schema of an action's arguments. It allows only an object of plain values, so that checking a model's arguments
 * is cheap.
 */
export const ActionParameters = z
  .strictObject({
    type: z.literal('object'),
    properties: z.record(Property, Parameter),
    required: z.array(z.string()).max(mostParameters).default([]),
    additionalProperties: z.literal(false).optional().describe('Always `false`, even if omitted'),
  })
  .superRefine(({ properties, required }, context) => {
    const names = Object.keys(properties)
    if (names.length > mostParameters)
      context.addIssue({ code: 'custom', path: ['properties'], message: `must have at most ${mostParameters}` })
    for (const [place, name] of required.entries()) {
      if (!Object.hasOwn(properties, name))
        context.addIssue({ code: 'custom', path: ['required', place], message: 'must be a name in `properties`' })
    }
  })
  .refine((schema) => JSON.stringify(schema).length <= mostSchema, `must be at most ${mostSchema} characters of JSON`)
  .transform(({ additionalProperties: _, ...schema }) => schema)

export const Triggers = z
  .array(text(200).refine((phrase) => normaliseWords(phrase) !== '', 'must contain at least one word'))
  .max(10)
  .describe(
    'Phrases that trigger the action in the embedded engine. Whole words are matched, ignoring case and accents.',
  )
