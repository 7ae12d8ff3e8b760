import { z } from 'zod'
import { classify } from '#tasks/ai/classify.ts'
import { route } from '../http/route.ts'
import { engineResultFields, mostCharacters, nonBlankText, textList } from './fields.ts'
import { languageProblems, runLanguageTask } from './language-work.ts'

const Label = z.union([
  nonBlankText(100),
  z.strictObject({
    name: nonBlankText(100),
    description: nonBlankText(1_000).optional(),
    examples: z.array(nonBlankText(1_000)).max(20).optional(),
  }),
])

const nameOf = (label: z.infer<typeof Label>) => (typeof label === 'string' ? label : label.name)

const Body = z
  .strictObject({
    text: nonBlankText(mostCharacters).optional(),
    input: textList(32).optional().describe('Several texts, instead of `text`'),
    labels: z
      .array(Label)
      .min(2)
      .max(50)
      .refine((labels) => new Set(labels.map(nameOf)).size === labels.length, 'must not contain the same label twice'),
    multi_label: z.boolean().default(false).describe('True to score each label independently'),
    threshold: z.number().min(0).max(1).optional().describe('Minimum score for a label'),
    margin: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe(
        'Minimum difference between the scores of the best two labels. With a smaller difference, `label` is `null`. Default: 0. Ignored with `multi_label`.',
      ),
  })
  .check(({ value: { text, input }, issues }) => {
    if ((text === undefined) !== (input === undefined)) return
    const message = text === undefined ? 'is required, or `input`' : 'cannot be used together with `input`'
    issues.push({ code: 'custom', path: ['text'], input: text ?? null, message })
  })

const Result = z.object({
  label: z.string().nullable().describe('Best label. `null` if no label is clear.'),
  labels: z.array(z.object({ label: z.string(), score: z.number() })).describe('Labels, best first'),
  low_confidence: z.boolean(),
  margin: z.number().nullable().describe('Difference between the scores of the best two labels'),
  method: z
    .enum(['model', 'meaning', 'words'])
    .describe(
      'How the text was compared with the labels. `meaning`: by the English sentence model. `words`: by shared words, for other languages or if the sentence model does not respond. `model`: by an upstream model.',
    ),
  language: z
    .string()
    .nullable()
    .describe('Detected language (ISO 639-1). `null` if the text is short or no language is clear.'),
})

export const create = route({
  method: 'POST',
  path: '/classify',
  summary: 'Classify texts',
  description:
    'Selects one label for each text. For best results, give each label a name, a description and three examples. English texts are compared by meaning. With `text`, the result is at the top level of the response. With `input`, `results` is in the same order.',
  scope: 'ai:invoke',
  enqueues: classify,
  body: Body,
  status: 200,
  reply: z.object({ ...Result.partial().shape, results: z.array(Result).optional(), ...engineResultFields }),
  problems: languageProblems,
  async handle(call) {
    const { text, input, labels, multi_label, threshold, margin } = call.body
    const request = {
      input: input ?? [text as string],
      labels: labels.map((label) => (typeof label === 'string' ? { name: label } : label)),
      multiLabel: multi_label,
      threshold,
      margin,
    }
    const payload = { orgId: call.org.id, keyId: call.key.id, request }
    const { results: found, ...rest } = await runLanguageTask(call, classify, payload)
    const results = found.map(({ margin, method, language, ...result }) => ({
      ...result,
      margin: margin ?? null,
      method: method ?? ('model' as const),
      language: language ?? null,
    }))
    return input ? { results, ...rest } : { ...results[0], ...rest }
  },
})
