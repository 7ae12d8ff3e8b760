import { z } from 'zod'
import { answer } from '#tasks/ai/answer.ts'
import { route } from '../http/route.ts'
import {
  engineResultFields,
  FinishReason,
  fitsCharacterLimit,
  Language,
  mostCharacters,
  nonBlankText,
} from './fields.ts'
import { languageProblems, runLanguageTask } from './language-work.ts'

const Document = z.strictObject({
  id: nonBlankText(128),
  title: nonBlankText(300).optional(),
  url: z
    .url({ protocol: /^https?$/ })
    .max(2_000)
    .optional(),
  text: nonBlankText(mostCharacters),
})

const Body = z
  .strictObject({
    question: nonBlankText(4_000),
    context: nonBlankText(mostCharacters)
      .optional()
      .describe('Text to answer from. Its quotes name the document as `context`.'),
    documents: z.array(Document).min(1).max(20).optional().describe('Texts to answer from'),
    language: Language.optional(),
    max_tokens: z.int().min(1).max(2_048).default(512),
    temperature: z.number().min(0).max(2).optional(),
  })
  .check(({ value: { context, documents }, issues }) => {
    if (!documents) return
    const fault = (message: string) => issues.push({ code: 'custom', path: ['documents'], input: documents, message })
    if (context !== undefined) fault('cannot be used together with `context`')
    if (new Set(documents.map(({ id }) => id)).size < documents.length) fault('must not contain the same `id` twice')
    if (!fitsCharacterLimit(documents.map(({ text }) => text))) {
      fault(`must be at most ${mostCharacters} characters in total`)
    }
  })

const Citation = z.object({
  document_id: z.string(),
  title: z.string().nullable(),
  url: z.string().nullable(),
  quote: z.string().describe('Exact text from the document'),
  start: z
    .int()
    .describe('Start of the quote in UTF-16 units. `text.slice(start, end)` of the document returns the quote.'),
  end: z.int(),
})

export const create = route({
  method: 'POST',
  path: '/answer',
  summary: 'Answer a question from documents',
  description:
    'Millrace checks every quote against its document and removes quotes that the document does not contain. If the documents do not support an answer, the response has `answered: false` and an empty `answer`. Without documents, an upstream model answers from its own knowledge, without quotes. The embedded engine cannot answer without documents.',
  scope: 'ai:invoke',
  enqueues: answer,
  body: Body,
  status: 200,
  reply: z.object({
    answer: z.string(),
    answered: z.boolean(),
    confidence: z
      .number()
      .nullable()
      .describe(
        'Confidence from 0 to 1. With the embedded engine, the share of the question’s words that the best sentence contains.',
      ),
    citations: z.array(Citation),
    language: z.string().nullable().describe('Requested language'),
    finish_reason: FinishReason,
    ...engineResultFields,
  }),
  problems: languageProblems,
  example: {
    body: {
      question: 'When do refunds arrive?',
      documents: [{ id: 'refunds', title: 'Refunds', text: 'Refunds arrive within 14 days of the return.' }],
    },
  },
  async handle(call) {
    const { question, context, documents, language, max_tokens, temperature } = call.body
    const given = documents ?? (context === undefined ? [] : [{ id: 'context', text: context }])
    const request = { question, documents: given, language, maxTokens: max_tokens, temperature }
    const reply = await runLanguageTask(call, answer, { orgId: call.org.id, keyId: call.key.id, request })
    return { ...reply, language: language ?? null }
  },
})
