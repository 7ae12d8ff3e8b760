import { z } from 'zod'
import { config, publicUrl } from '#lib/config.ts'
import { Id } from '#lib/ids.ts'
import * as articles from '#sql/wiki/articles.ts'
import { UnprovenClaim } from '#sql/wiki/evidence.ts'
import { Instant } from '../http/instant.ts'
import { Slug } from './slug.ts'

/** Maximum length of a body in characters. Rendering Markdown of this length takes a few hundred milliseconds. */
const longestBody = 200_000

/** Maximum size in bytes of a request with a body. It is enough even if each character is escaped. */
export const bodyLimit = 2 * 1024 ** 2

export const Tag = z
  .string()
  .trim()
  .min(1)
  .max(50)
  .transform((tag) => tag.toLowerCase())

/** Schema of a language tag. Accepts a subset of BCP 47: `en`, `pt-br`, `zh-hant`. */
export const Language = z
  .string()
  .regex(/^[a-z]{2,3}(-[a-z0-9]{2,8})*$/)
  .max(35)
  .describe('BCP 47 language tag in lower case')

export const textFields = {
  title: z.string().trim().min(1).max(300),
  summary: z.string().trim().max(1_000),
  body: z.string().max(longestBody).describe('Markdown. `[^`*ID of a claim*`]` cites a claim. HTML is shown as text.'),
  tags: z
    .array(Tag)
    .max(20)
    .transform((tags) => [...new Set(tags)]),
}

export const changeFields = {
  comment: z.string().trim().max(500).optional().describe('Summary of the changes in this version'),
  author: z.string().trim().min(1).max(200).optional().describe('Your name for the author'),
}

export const nameFields = { slug: Slug, language: Language }

export const Withdrawal = z.object({ reason: z.string(), at: Instant }).nullable()

export const Evidence = z.object({
  claims: z.int(),
  supported: z.int(),
  coverage: z.number().nullable().describe('Share of claims that are supported. `null` if there are no claims.'),
  unproven: z
    .array(UnprovenClaim.pick({ claim_id: true, problem: true }))
    .describe(
      'Claims that the current rules would reject. A published article may contain such claims from earlier rules.',
    ),
})

export const ArticleSummary = z
  .object({
    id: Id,
    slug: z.string(),
    url: z.url().describe('URL of the public web page'),
    language: z.string(),
    status: z.enum(articles.statuses),
    version: z.int().describe('Number of the newest version'),
    published_version: z.int().nullable().describe('Number of the version that readers see'),
    revision: z.int().describe('Increases with each change. Used as the `ETag`.'),
    title: z.string(),
    summary: z.string(),
    tags: z.array(z.string()),
    withdrawal: Withdrawal,
    first_published_at: Instant.nullable(),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: 'wiki.ArticleListed' })

export const Article = ArticleSummary.extend({ body: z.string(), evidence: Evidence }).meta({ id: 'wiki.Article' })

export const withdrawalOf = ({ withdrawn_at, withdrawal_reason }: articles.Article): z.input<typeof Withdrawal> =>
  withdrawn_at && { reason: withdrawal_reason ?? '', at: withdrawn_at }

export const presentListed = (
  { org_id: _, withdrawal_reason, withdrawn_at, ...row }: articles.ArticleView,
  origin: string,
): z.input<typeof ArticleSummary> => ({
  ...row,
  url: pageUrl(origin, row.slug),
  withdrawal: withdrawn_at && { reason: withdrawal_reason ?? '', at: withdrawn_at },
})

export const pageUrl = (origin: string, slug: string): string =>
  `${config.PUBLIC_URL ? publicUrl() : origin}/wiki/${encodeURIComponent(slug)}`
