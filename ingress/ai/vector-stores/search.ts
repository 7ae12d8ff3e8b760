import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as files from '#sql/knowledge/store-files.ts'
import * as stores from '#sql/knowledge/stores.ts'
import { embedSearch } from '#tasks/knowledge/embed-search.ts'
import { mustFind } from '../../http/must-find.ts'
import { route } from '../../http/route.ts'
import { nonBlankText } from '../fields.ts'
import { ofStores, storeParams } from './fields.ts'
import { Filters } from './filters.ts'
import { findInStore } from './find-in-store.ts'

/** Maximum number of queries per search, and maximum length of a query. */
const [mostQueries, mostCharacters] = [5, 4_096]

const Query = nonBlankText(mostCharacters)

const Result = z.object({
  file_id: Id,
  filename: z.string(),
  score: z
    .number()
    .describe(
      'How well the text fits the query, 0 to 1: the share of the words of the query, or the likeness of the meaning if it is higher',
    ),
  attributes: files.Attributes,
  content: z.array(z.object({ type: z.literal('text'), text: z.string() })),
})

export const search = route({
  ...ofStores,
  method: 'POST',
  path: '/vector_stores/{storeId}/search',
  repeatable: true,
  summary: 'Search a vector store (OpenAI format)',
  description:
    'Returns the parts of files that fit the query best. The filter applies before the ranking, so that a filtered search returns as many results as an unfiltered search. A file can be found by its words as soon as its status is `completed`, and by its meaning soon after.',
  tool: { name: 'search_knowledge', reads: true, outsideText: true, only: ['query', 'max_num_results'] },
  scope: 'ai:invoke',
  enqueues: embedSearch,
  atOnce: { requests: 64, ofOne: 16 },
  params: storeParams,
  body: z.strictObject({
    query: z
      .union([Query, z.array(Query).min(1).max(mostQueries)])
      .describe(`A text of up to ${mostCharacters} characters, or a list of up to ${mostQueries} texts`),
    filters: Filters.nullish(),
    max_num_results: z.int().min(1).max(50).default(10),
    ranking_options: z
      .strictObject({
        ranker: z.enum(['none', 'auto', 'default-2024-11-15']).optional().describe('All values have the same effect'),
        score_threshold: z.number().min(0).max(1).default(0).describe('Omits results with a lower score'),
      })
      .nullish(),
    rewrite_query: z
      .literal(false, 'must be `false`: Millrace searches for the unchanged query')
      .nullish()
      .describe('Only `false`: Millrace searches for the unchanged query'),
  }),
  status: 200,
  reply: z.object({
    object: z.literal('vector_store.search_results.page'),
    search_query: z.array(z.string()),
    data: z.array(Result),
    has_more: z.literal(false),
    next_page: z.null(),
  }),
  problems: ['not_found'],
  example: {
    body: { query: 'How long do refunds take?', filters: { type: 'eq', key: 'language', value: 'en' } },
  },
  async handle({ params, body, org, key, db, services, signal, log }) {
    const store = await mustFind(stores.find(db, org.id, params.storeId), 'vector store')
    const queries = [body.query].flat()
    const found = await findInStore(
      { db, keyId: key.id, services, signal, log },
      {
        store,
        queries,
        filter: body.filters ?? undefined,
        most: body.max_num_results,
        threshold: body.ranking_options?.score_threshold ?? 0,
      },
    )
    await stores.touch(db, store.id)
    return {
      object: 'vector_store.search_results.page',
      search_query: queries,
      data: found.map(({ file, score, text }) => ({
        file_id: file.file_id,
        filename: file.filename,
        score,
        attributes: file.attributes,
        content: [{ type: 'text' as const, text }],
      })),
      has_more: false,
      next_page: null,
    }
  },
})
