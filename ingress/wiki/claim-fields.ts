import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/wiki/claims.ts'
import { Fault, type Reference as ReferenceRow } from '#sql/wiki/references.ts'
import { tokenise } from '#tasks/wiki/rules/normal-text.ts'
import { Instant } from '../http/instant.ts'

export const Property = z
  .string()
  .max(64)
  .regex(/^[a-z][a-z0-9_]*$/, 'must be in snake_case')

const text = z.string().trim().min(1).max(4_000)
const decimal = z.string().regex(/^[+-]?\d{1,60}(\.\d{1,60})?$/, 'must be a decimal number as text, such as "461346"')

export const Value = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('string'), content: text }),
  z.strictObject({ type: z.literal('monolingual_text'), content: text, language: z.string().min(2).max(35) }),
  z.strictObject({ type: z.literal('quantity'), content: decimal, unit: z.string().trim().min(1).max(100).optional() }),
  z.strictObject({
    type: z.literal('time'),
    content: z
      .string()
      .regex(/^-?\d{4,6}(-\d{2}(-\d{2}(T\d{2}:\d{2}(:\d{2})?Z)?)?)?$/, 'must be a time, such as 2026-01'),
    precision: z.enum(['century', 'decade', 'year', 'month', 'day', 'minute', 'second']).optional(),
  }),
  z.strictObject({ type: z.literal('url'), content: z.url({ protocol: /^https?$/ }).max(2_000) }),
  z.strictObject({ type: z.literal('entity'), content: Id }),
])

export const Qualifiers = z.array(z.strictObject({ property: Property, value: Value })).max(20)

const fewest = { words: 3, characters: 8 }

export const Quote = z
  .string()
  .trim()
  .max(2_000)
  .refine(isQuote, `must have at least ${fewest.words} words or ${fewest.characters} characters`)

function isQuote(quote: string): boolean {
  const tokens = tokenise(quote)
  const words = tokens.filter((token) => /[\p{L}\p{N}]/u.test(token))
  return words.length >= fewest.words || words.join('').length >= fewest.characters
}

export const ReferenceForm = z.strictObject({
  source_id: Id,
  snapshot_id: Id.optional().describe(
    'Default: the newest successful snapshot of the source. If there is none, the pending snapshot.',
  ),
  quote: Quote.describe(
    'Exact words from one visible paragraph, cell or list item of the snapshot, including the value of the claim. Words and case must match. Quotation marks, white space and NFKC forms can differ.',
  ),
  locator: z.string().trim().min(1).max(200).optional().describe('Location for readers, such as a page or section'),
})

export const References = z.array(ReferenceForm).max(20)

export const ArticleIds = z.array(Id).max(100)

const Reference = z.object({
  id: Id,
  source_id: Id,
  snapshot_id: Id,
  snapshot_status: z.enum(['pending', 'ok', 'failed']),
  quote: z.string(),
  quote_verified: z.boolean().describe('True if the snapshot contains the quote'),
  problem: Fault.nullable().describe('Reason why the reference is not proof. `null` if it is.'),
  locator: z.string().nullable(),
  page: z.int().nullable().describe('Page of the quote in a PDF, starting at 1'),
  paragraph: z.int().nullable().describe('Paragraph on the page, starting at 1'),
  created_at: Instant,
})

export const Claim = z
  .object({
    id: Id,
    entity_id: Id,
    property: z.string(),
    value: z.looseObject({ type: z.string() }),
    qualifiers: z.array(z.looseObject({ property: z.string() })),
    rank: rows.Rank,
    deprecation_reason: z.string().nullable(),
    status: z.enum(['supported', 'unsupported']).describe('`supported` if at least one reference proves the claim'),
    references: z.array(Reference),
    article_ids: z.array(Id),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: 'wiki.Claim' })

export function presentClaim({ org_id: _, ...row }: rows.Claim, all: readonly ReferenceRow[]): z.input<typeof Claim> {
  const references = all
    .filter(({ claim_id }) => claim_id === row.id)
    .map(({ claim_id: _, snapshot_status, ...reference }) => ({
      ...reference,
      snapshot_status: snapshot_status as 'ok',
    }))
  const supported = references.some(({ problem }) => problem === null)
  return { ...row, status: supported ? 'supported' : 'unsupported', references }
}
