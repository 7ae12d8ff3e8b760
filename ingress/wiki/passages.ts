import { z } from 'zod'
import { describe } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { queryInt } from '#lib/input-types.ts'
import { log } from '#lib/log.ts'
import type { Embedded } from '#sql/knowledge/vectors.ts'
import * as rows from '#sql/wiki/passages.ts'
import { embedSearch } from '#tasks/knowledge/embed-search.ts'
import type { Services } from '../http/container.ts'
import { route } from '../http/route.ts'
import { questions } from '../http/services.ts'
import { Language, pageUrl } from './article-fields.ts'

/** Timeout in milliseconds for the vector of a question. Without the vector, the search uses only words. */
const patienceMs = 4_000

const Passage = z
  .object({
    article_id: Id,
    slug: z.string(),
    url: z.url().describe('URL of the public web page'),
    title: z.string(),
    language: z.string(),
    version: z.int(),
    passage: z
      .string()
      .describe('Exact text of the article: a sentence if meaning was compared, or about 1,000 characters'),
    likeness: z
      .number()
      .nullable()
      .describe(
        'Likeness of the question and the passage, from -1 to 1. `null` if the passage was found by its words.',
      ),
  })
  .meta({ id: 'wiki.Passage' })

export const list = route({
  method: 'GET',
  path: '/passages',
  summary: 'Find passages for a question',
  description:
    'Returns published articles of your organisation with the passage that best matches a question, best first. Compares words in different forms. If a model for embeddings is available, also compares meaning: an upstream model, or the embedded model `use-lite-en` for English. New articles are compared by their words until their vectors exist, usually for less than five minutes.',
  scope: 'wiki:read',
  enqueues: embedSearch,
  query: z.object({
    q: z.string().trim().min(1).max(1_000).describe('Question or search words'),
    tag: z.string().trim().toLowerCase().max(50).optional(),
    language: Language.optional(),
    limit: queryInt(1, 20).default(5).describe('Maximum number of articles'),
  }),
  status: 200,
  reply: z.object({
    data: z.array(Passage),
    model: z.string().nullable().describe('Model that compared meaning. `null` if only words were compared.'),
  }),
  async handle({ query: { q, tag, language, limit }, org, key, db, signal, services, origin }) {
    const embedded = await embed(org.id, q, { keyId: key.id, signal, services })
    const found = await rows.search(db, { orgId: org.id, question: q, embedded, tag, language }, limit)
    const data = found.map(({ id, slug, title, language, version, passage, likeness }) => ({
      ...{ article_id: id, slug, url: pageUrl(origin, slug), title, language, version, passage },
      likeness: likeness === null ? null : Math.round(likeness * 100) / 100,
    }))
    return { data, model: embedded?.model ?? null }
  },
})

interface Means {
  /** API key that pays for the vector. */
  keyId: string
  signal: AbortSignal
  services: Services
}

async function embed(
  orgId: string,
  question: string,
  { keyId, signal, services }: Means,
): Promise<Embedded | undefined> {
  try {
    const about = { orgId, timeout: patienceMs, signal, forgotten: true }
    const made = await services(questions).ask(embedSearch, { orgId, keyId, question }, about)
    return made ? { model: made.model, vector: Float32Array.from(made.numbers) } : undefined
  } catch (error) {
    signal.throwIfAborted()
    log.warn({ err: describe(error) }, 'a question has no vector: the search uses only its words')
    return undefined
  }
}
