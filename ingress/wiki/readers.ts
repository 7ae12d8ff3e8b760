import { z } from 'zod'
import { badRequest, notFound } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as versions from '#sql/wiki/article-versions.ts'
import * as articles from '#sql/wiki/articles.ts'
import * as passages from '#sql/wiki/passages.ts'
import * as published from '#sql/wiki/published.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { route } from '../http/route.ts'
import { Evidence, Language, pageUrl, Withdrawal, withdrawalOf } from './article-fields.ts'
import { formatEtag } from './change-article.ts'
import { excerpt, highlightWords, listQueryWords } from './highlight.ts'
import { presentEvidence } from './present-article.ts'
import { renderArticle } from './render-article.ts'

const Item = z
  .object({
    id: Id,
    slug: z.string(),
    url: z.url().describe('URL of the public web page'),
    language: z.string(),
    version: z.int(),
    title: z.string(),
    summary: z.string(),
    tags: z.array(z.string()),
    first_published_at: Instant,
    published_at: Instant.describe('Time when this version was published'),
    highlights: z
      .object({ title: z.string(), excerpt: z.string() })
      .nullable()
      .describe('With `q`: escaped HTML with the matching words in `<mark>`'),
  })
  .meta({ id: 'wiki.PublishedListed' })

const presentItem = (row: published.PublishedArticle, origin: string): Omit<z.input<typeof Item>, 'highlights'> => ({
  ...row,
  url: pageUrl(origin, row.slug),
})

export const list = listRoute({
  path: '/articles',
  summary: 'List or search published articles',
  description: [
    'Without `q`, returns the newest first, in pages. With `q`, returns the best `limit` articles that contain its words. Supports',
    '`"a phrase"`, `this or that` and `-without`. Ignores case and accents. Also matches the start of words in titles and slugs.',
    'If no article of your organisation contains the words, returns articles with most of the words in other forms.',
  ].join(' '),
  scope: 'wiki:read',
  reads: 'replica',
  search: true,
  filters: published.filters,
  otherParams: ['q', 'organisation'],
  query: {
    q: z.string().trim().min(1).max(200).optional(),
    tag: z.string().trim().toLowerCase().max(50).optional(),
    language: Language.optional(),
    organisation: z
      .enum(['own', 'all'])
      .default('own')
      .describe('`all`: published articles of every organisation, as on `/wiki`'),
  },
  item: Item,
  async rows(
    { query: { q, tag, language, organisation, cursor }, org, db },
    page,
  ): Promise<readonly (published.PublishedArticle | published.ArticleMatch | passages.PassageMatch)[]> {
    const orgId = organisation === 'all' ? null : org.id
    if (q === undefined) return await published.list(db, orgId, page)
    if (cursor !== undefined) throw badRequest([{ field: 'query.cursor', issue: 'cannot be used with a search' }])
    const found = await published.search(db, q, { orgId, tag, language }, page.limit - 1)
    if (found.length > 0 || orgId === null || hasOperators(q)) return found
    return await passages.search(db, { orgId, question: q, embedded: undefined, tag, language }, page.limit - 1)
  },
  present(row, { query: { q = '' }, origin }) {
    const words = listQueryWords(q)
    const text = 'text' in row ? row.text : 'passage' in row ? row.passage : undefined
    const found = text !== undefined && { title: highlightWords(row.title, words), excerpt: excerpt(text, words) }
    return { ...presentItem(row, origin), highlights: found || null }
  },
})

/** True if a query has a phrase, an excluded word or an alternative. */
const hasOperators = (query: string): boolean => /"|(?:^|\s)-|\sor\s/i.test(query)

const PublishedArticle = z
  .object({
    id: Id,
    slug: z.string(),
    redirected_from: z.string().nullable().describe('Requested slug, if the article now has a different slug'),
    url: z.url().describe('URL of the public web page'),
    language: z.string(),
    status: z.enum(['published', 'withdrawn']),
    version: z.int().nullable(),
    title: z.string().nullable().describe('Title. For a withdrawn article, `null`, like all other text.'),
    summary: z.string().nullable(),
    body: z.string().nullable().describe('Markdown'),
    html: z.string().nullable().describe('With `format=html`: the body as safe HTML without JavaScript'),
    tags: z.array(z.string()),
    evidence: Evidence.nullable(),
    withdrawal: Withdrawal,
    first_published_at: Instant.nullable(),
    updated_at: Instant,
  })
  .meta({ id: 'wiki.Published' })

export const read = route({
  method: 'GET',
  path: '/articles/{slug}',
  summary: 'Read a published article',
  description:
    'Returns an article of any organisation by its slug, a previous slug or its ID. Published articles are public. For a withdrawn article, returns the reason and no text.',
  tool: { name: 'get_wiki_article', outsideText: true },
  scope: 'wiki:read',
  params: z.object({ slug: z.string().describe('Article slug or ID') }),
  query: z.object({ format: z.enum(['markdown', 'html']).default('markdown') }),
  status: 200,
  reply: PublishedArticle,
  headers: { etag: 'Tag of the article’s current state. Send it as `If-Match` with a change' },
  problems: ['not_found'],
  async handle({ params: { slug }, query: { format }, db, origin, set }) {
    const article = await mustFind(findArticle(db, slug), 'article')
    if (article.status === 'draft') throw notFound('article')
    set('etag', formatEtag(article))
    const shared = {
      id: article.id,
      slug: article.slug,
      url: pageUrl(origin, article.slug),
      language: article.language,
      redirected_from: slug === article.slug || slug === article.id ? null : slug,
      status: article.status,
      version: article.published_version,
      withdrawal: withdrawalOf(article),
      first_published_at: article.first_published_at,
      updated_at: article.updated_at,
    }
    if (article.published_version === null) {
      return { ...shared, title: null, summary: null, body: null, html: null, tags: [], evidence: null }
    }
    const version = await mustFind(versions.findByNumber(db, article.id, article.published_version), 'article')
    const { title, summary, body, tags } = version
    const html = format === 'html' ? (await renderArticle(db, article.org_id, version)).html : null
    return { ...shared, title, summary, body, html, tags, evidence: await presentEvidence(db, article.id) }
  },
})

/** Finds an article of any organisation, because published articles are public. */
const findArticle = async (db: Db, name: string): Promise<articles.Article | null> =>
  Id.safeParse(name).success
    ? await articles.findAny(db, name)
    : await articles.findBySlug(db, name.toLowerCase().normalize(), null)
