import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { byCategory } from '#tasks/ai/engine.ts'
import { moderate } from '#tasks/ai/moderate.ts'
import { route } from '../http/route.ts'
import { engineResultFields, fitsCharacterLimit, mostCharacters, nonBlankText, textList } from './fields.ts'
import { languageProblems, runLanguageTask } from './language-work.ts'

const TextPart = z.strictObject({ type: z.literal('text'), text: nonBlankText(mostCharacters) })

const Body = z.strictObject({
  input: z
    .union([
      nonBlankText(mostCharacters),
      textList(32),
      z
        .array(TextPart)
        .min(1)
        .max(32)
        .refine(
          (parts) => fitsCharacterLimit(parts.map(({ text }) => text)),
          'must not exceed the maximum number of characters in total',
        ),
    ])
    .describe('A text, a list of up to 32 texts, or the text parts of one text'),
  model: z
    .string()
    .max(200)
    .optional()
    .describe('Accepted for compatibility and ignored. The configured model is used.'),
})

const ofCategories = <Value extends z.ZodType>(value: Value) => z.object(byCategory(() => value))

const declaration = {
  method: 'POST',
  scope: 'ai:invoke',
  enqueues: moderate,
  body: Body,
  status: 200,
  reply: z.object({
    id: z.string(),
    model: z.string(),
    results: z.array(
      z.object({
        flagged: z.boolean(),
        categories: ofCategories(z.boolean()),
        category_scores: ofCategories(z.number()),
        category_applied_input_types: ofCategories(z.array(z.literal('text'))),
        review: z
          .object({
            score: z
              .number()
              .nullable()
              .describe('From 0 to 1. Higher scores should be reviewed first. `null` if the text is not English.'),
            model: z.string(),
            language: z
              .string()
              .nullable()
              .describe('Detected language (ISO 639-1). `null` if the text is short or no language is clear.'),
          })
          .nullable()
          .describe(
            'Order for a review queue, from the English sentence model. It never changes `flagged`. `null` if an upstream server moderates, or the model is disabled or does not respond.',
          ),
      }),
    ),
    engine: engineResultFields.engine,
    usage: engineResultFields.usage,
  }),
  problems: languageProblems,
} as const

const textTypes = byCategory(() => ['text' as const])

function textsOf(input: z.output<typeof Body>['input']): string[] {
  if (typeof input === 'string') return [input]
  const texts = input.filter((part) => typeof part === 'string')
  return texts.length > 0 ? texts : [input.flatMap((part) => (typeof part === 'string' ? [] : [part.text])).join('\n')]
}

type Call = Parameters<typeof runLanguageTask>[0] & { body: z.output<typeof Body> }

async function runModeration(call: Call) {
  const payload = { orgId: call.org.id, keyId: call.key.id, input: textsOf(call.body.input) }
  const { results, ...rest } = await runLanguageTask(call, moderate, payload)
  const typed = results.map((result) => ({
    ...result,
    category_applied_input_types: textTypes,
    review: result.review ?? null,
  }))
  return { id: `modr-${newId()}`, ...rest, results: typed }
}

export const create = route({
  ...declaration,
  path: '/moderate',
  summary: 'Moderate texts',
  description:
    'The response has the format of OpenAI’s moderation API, with 13 categories. `review.score` orders English texts for a review queue. It is not a decision and does not change `flagged`.',
  handle: runModeration,
})

export const createCompatible = route({
  ...declaration,
  path: '/moderations',
  beyondContract: true,
  summary: 'Moderate texts (path of OpenAI’s SDK)',
  description:
    'The same operation as `/v1/ai/moderate`. To use the OpenAI SDK, set its base URL to `/v1/ai` on this server.',
  handle: runModeration,
})
