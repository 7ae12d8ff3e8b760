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
    'Millrace checks every quote against its document and removes quotes that the document does not contain. If the documents do not support an answer, the response has `answered: false`, an empty `answer`, and in `suggestions` passages that may help. Without documents, an upstream model answers from its own knowledge, without quotes. The embedded engine cannot answer without documents.',
  tool: { name: 'answer_question', reads: true, outsideText: true },
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
        'Confidence from 0 to 1. With the embedded engine, the share of the question’s words that the best sentence contains, or `score` if the sentence was found by its meaning.',
      ),
    score: z
      .number()
      .nullable()
      .describe(
        'Likeness of the question and the nearest sentence, from -1 to 1. From 0.45, the sentence answers the question. `null` if only words were compared.',
      ),
    method: z
      .enum(['model', 'meaning', 'words'])
      .describe(
        'How the question was compared with the documents. `meaning`: by words and by the English sentence model. `words`: by words only. `model`: by an upstream model.',
      ),
    question_language: z
      .string()
      .nullable()
      .describe('Detected language of the question (ISO 639-1). `null` if it is short or no language is clear.'),
    citations: z.array(Citation),
    suggestions: z
      .array(Citation)
      .describe('If `answered` is false: up to three passages that may help. They may also be wrong.'),
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
    const { method = 'model', question_language = null } = reply
    return { ...reply, method, question_language, language: language ?? null }
  },
})
