import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { rerank } from '#tasks/ai/rerank.ts'
import { textOr } from '../http/request/issues.ts'
import { route } from '../http/route.ts'
import { Model } from './completion-fields.ts'
import { engineResultFields, nonBlankText } from './fields.ts'
import { gatewayProblem, gatewayProblems } from './gateway-problems.ts'
import { runLanguageTask } from './language-work.ts'
import { openAiErrorBody } from './openai-problem.ts'

/** Maximum number of documents, and of characters in all documents. */
const [mostDocuments, mostCharacters] = [1_000, 400_000]

const Document = textOr(nonBlankText(mostCharacters), z.strictObject({ text: nonBlankText(mostCharacters) }))

const textOf = (document: z.output<typeof Document>): string =>
  typeof document === 'string' ? document : document.text

export const create = route({
  method: 'POST',
  path: '/rerank',
  beyondContract: true,
  summary: 'Rank documents by relevance (Cohere format)',
  description:
    'Has the format of the APIs of Cohere, Jina and vLLM. If no upstream server has a model for it, the embedded engine compares words, and in English also meaning. Its scores are heuristic.',
  scope: 'ai:invoke',
  enqueues: rerank,
  body: z.strictObject({
    model: Model.default('default'),
    query: nonBlankText(4_000),
    documents: z
      .array(Document)
      .min(1)
      .max(mostDocuments)
      .refine(
        (all) => all.reduce((sum, one) => sum + textOf(one).length, 0) <= mostCharacters,
        `must be at most ${mostCharacters} characters in total`,
      )
      .describe('Up to 1,000 texts, each a string or an object with `text`'),
    top_n: z.int().min(1).nullish().describe('Number of results. Default: all documents.'),
    return_documents: z.boolean().nullish().describe('True to return the text of each result'),
  }),
  status: 200,
  reply: z.object({
    id: z.string(),
    object: z.literal('list'),
    results: z.array(
      z.object({
        index: z.int().describe('Position in `documents`'),
        relevance_score: z.number(),
        document: z.object({ text: z.string() }).optional(),
      }),
    ),
    ...engineResultFields,
  }),
  problemBody: openAiErrorBody,
  problems: gatewayProblems,
  example: { body: { query: 'When do refunds arrive?', documents: ['Ships sail.', 'Refunds arrive in 14 days.'] } },
  async handle(call) {
    const { model, query, documents, top_n, return_documents } = call.body
    const texts = documents.map(textOf)
    const request = { model, query, documents: texts, topN: Math.min(top_n ?? texts.length, texts.length) }
    const payload = { orgId: call.org.id, keyId: call.key.id, request }
    const about = { model, toProblem: gatewayProblem }
    const { results, ...rest } = await runLanguageTask(call, rerank, payload, about)
    const ranked = results.map(({ index, score }) => ({
      index,
      relevance_score: score,
      ...(return_documents && { document: { text: texts[index] ?? '' } }),
    }))
    return { id: `rerank-${newId()}`, object: 'list' as const, results: ranked, ...rest }
  },
})
