import { z } from 'zod'
import { summarize } from '#tasks/ai/summarize.ts'
import { route } from '../http/route.ts'
import { engineResultFields, Language, mostCharacters, nonBlankText } from './fields.ts'
import { languageProblems, runLanguageTask } from './language-work.ts'

const lengths = { short: 2, medium: 4, long: 8 }

const Body = z
  .strictObject({
    text: nonBlankText(mostCharacters),
    length: z
      .enum(['short', 'medium', 'long'])
      .optional()
      .describe('`short`, `medium` or `long`: 2, 4 or 8 sentences. Default: `medium`.'),
    max_sentences: z.int().min(1).max(20).optional(),
    format: z.enum(['paragraph', 'bullets']).default('paragraph'),
    language: Language.optional(),
    focus: nonBlankText(500).optional().describe('Topic that the reader is interested in'),
  })
  .check(({ value: { length, max_sentences }, issues }) => {
    if (length === undefined || max_sentences === undefined) return
    const message = 'cannot be used together with `length`'
    issues.push({ code: 'custom', path: ['max_sentences'], input: max_sentences, message })
  })

export const create = route({
  method: 'POST',
  path: '/summarize',
  summary: 'Summarise a text',
  description:
    'The embedded engine selects the most central sentences and returns their positions. An upstream model writes new sentences, and `sentences` is `null`.',
  scope: 'ai:invoke',
  enqueues: summarize,
  body: Body,
  status: 200,
  reply: z.object({
    summary: z.string(),
    sentences: z
      .array(z.object({ text: z.string(), start: z.int(), end: z.int(), rank_score: z.number() }))
      .nullable()
      .describe('Sentences in the order of the text. `text.slice(start, end)` in UTF-16 units returns the sentence.'),
    input_characters: z.int(),
    ...engineResultFields,
  }),
  problems: languageProblems,
  async handle(call) {
    const { text, length = 'medium', max_sentences, format, language, focus } = call.body
    const request = { text, sentences: max_sentences ?? lengths[length], format, language, focus }
    const reply = await runLanguageTask(call, summarize, { orgId: call.org.id, keyId: call.key.id, request })
    return { ...reply, input_characters: text.length }
  },
})
