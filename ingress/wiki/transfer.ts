import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import { whereOf } from '#sql/filters.ts'
import * as versions from '#sql/wiki/article-versions.ts'
import * as articles from '#sql/wiki/articles.ts'
import * as claims from '#sql/wiki/claims.ts'
import * as entities from '#sql/wiki/entities.ts'
import { listDocumentReferences } from '#sql/wiki/evidence.ts'
import { capture } from '#tasks/wiki/capture.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { Article, bodyLimit, changeFields } from './article-fields.ts'
import { importClaims, importEvidence } from './bring-evidence.ts'
import { writeVersion } from './change-article.ts'
import { Quote } from './claim-fields.ts'
import {
  formatDocument,
  mostCharacters,
  mostClaims,
  mostReferences,
  mostSources,
  parseDocument,
  type WikiDocument,
} from './document.ts'
import { presentArticle } from './present-article.ts'
import { planExceeded } from './request-snapshots.ts'
import { claimFreeSlug } from './slug.ts'

const tooLarge = problem(
  409,
  'too_large',
  'The article has more claims, references or text than a document can contain.',
)

export const read = route({
  method: 'GET',
  path: '/admin/articles/{id}/export',
  summary: 'Export an article with its evidence',
  description:
    'Returns the newest version as Markdown with a JSON header between two `---` lines. The header contains entities, claims that are not deprecated, and quotes with the URL and time of each source. You can import the file unchanged. Limits: 100 claims, 2,000 references, 200 sources and a million characters.',
  scope: 'wiki:write',
  params: z.object({ id: pathId('article') }),
  status: 200,
  reply: z.object({ filename: z.string(), document: z.string() }),
  problems: ['not_found', tooLarge],
  async handle({ params: { id }, org, db }) {
    const article = await mustFind(articles.find(db, org.id, id), 'article')
    const { title, summary, tags, body } = await mustFind(versions.findByNumber(db, id, article.version), 'version')
    const where = whereOf(claims.filters, { article_id: id, rank: 'asserted' })
    const made = await claims.list(db, org.id, { where, before: undefined, limit: mostClaims + 1 })
    if (made.length > mostClaims) throw tooLarge(`The article has more than ${mostClaims} claims.`)
    const kept = made.toReversed()
    const found = await listDocumentReferences(
      db,
      kept.map(({ id }) => id),
      mostReferences + 1,
    )
    if (found.length > mostReferences)
      throw tooLarge(`The article’s claims have more than ${mostReferences} references.`)
    if (new Set(found.map(({ uri }) => uri)).size > mostSources)
      throw tooLarge(`The article’s claims have more than ${mostSources} sources.`)
    // Quotes that earlier rules allowed may not be valid now.
    const cited = Map.groupBy(
      found.filter(({ quote }) => Quote.safeParse(quote).success),
      ({ claim_id }) => claim_id,
    )
    const ids = kept.flatMap(({ entity_id, value, qualifiers }) => [
      ...[entity_id, ...entityOf(value)],
      ...qualifiers.flatMap(({ value }) => entityOf(value)),
    ])
    const known = await entities.listOf(db, org.id, [...new Set(ids)])
    const front = {
      ...{ title, slug: article.slug, language: article.language, summary, tags },
      entities: known.map(({ id, type, labels, descriptions, aliases, external_ids }) => ({
        ...{ id, type, labels, descriptions, aliases, external_ids },
      })),
      claims: kept.map(({ id, entity_id, property, value, qualifiers, rank }) => ({
        ...{ id, entity_id, property, value, qualifiers, rank },
        references: (cited.get(id) ?? []).map(({ claim_id: _, captured_at, ...one }) => ({
          ...one,
          captured_at: captured_at?.toISOString() ?? null,
        })),
      })),
    }
    const document = formatDocument(front as never, body)
    if (document.length > mostCharacters || Buffer.byteLength(JSON.stringify({ document })) > bodyLimit)
      throw tooLarge(`The exported document would exceed ${mostCharacters} characters or ${bodyLimit} bytes.`)
    return { filename: `${article.slug}.md`, document }
  },
})

function entityOf(value: unknown): string[] {
  const found = EntityValue.safeParse(value)
  return found.success ? [found.data.content] : []
}

const EntityValue = z.object({ type: z.literal('entity'), content: Id })

export const create = route({
  method: 'POST',
  path: '/admin/import',
  summary: 'Import an article with its evidence',
  description:
    'Imports an export from this or a different installation as a draft. If its slug is in use, the draft gets a different slug. Entities that your organisation already has (same ID) do not change. All sources are fetched again for new snapshots. The import either succeeds completely or has no effect.',
  scope: 'wiki:write',
  idempotent: true,
  bodyLimit,
  enqueues: capture,
  body: z.strictObject({ document: z.string().min(1).max(mostCharacters), ...changeFields }),
  status: 201,
  reply: Article,
  problems: [planExceeded],
  async handle({ body: { document, comment, author }, org, key, plan, db, origin }) {
    const { front, body } = parseDocument(document)
    const evidence = await importEvidence(db, org.id, plan, front)
    const id = newId()
    // This runs late. All organisations share the slugs, and other requests for this slug wait until the transaction
    // ends.
    const slug = await slugFor(db, id, front)
    const article = await articles.insert(db, { id, org_id: org.id, slug, language: front.language })
    const claimIds = new Map(front.claims.map(({ id }) => [id, newId()]))
    await importClaims(db, article, evidence, (id) => claimIds.get(id) ?? id)
    const { title, summary, tags } = front
    const text = { title, summary, tags, body: replaceCitations(body, claimIds) }
    await writeVersion(db, id, 1, text, { keyId: key.id, comment, author })
    return await presentArticle(db, article, origin)
  },
})

/** Assigns the slug in a document. If another article has it or had it before, assigns a slug made from the title. */
async function slugFor(tx: Db, articleId: string, { slug, title }: WikiDocument['front']): Promise<string> {
  if (slug !== undefined && (await articles.takeSlug(tx, articleId, slug))) return slug
  return await claimFreeSlug(tx, articleId, title)
}

const replaceCitations = (body: string, claimIds: ReadonlyMap<string, string>): string =>
  [...claimIds].reduce((text, [before, after]) => text.replaceAll(`[^${before}]`, `[^${after}]`), body)
