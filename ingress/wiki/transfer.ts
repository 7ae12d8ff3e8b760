import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as versions from '#sql/wiki/article-versions.ts'
import * as articles from '#sql/wiki/articles.ts'
import * as claims from '#sql/wiki/claims.ts'
import * as entities from '#sql/wiki/entities.ts'
import { documentReferences } from '#sql/wiki/evidence.ts'
import * as references from '#sql/wiki/references.ts'
import * as sources from '#sql/wiki/sources.ts'
import { capture, requestSnapshot } from '#tasks/wiki/capture.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { Article, bodyLimit, changeFields } from './article-fields.ts'
import { claimSlug, slugTaken, writeVersion } from './change-article.ts'
import { cite } from './cite.ts'
import { readDocument, type WikiDocument, written } from './document.ts'
import { demandFewNames } from './entities.ts'
import { presentArticle } from './present-article.ts'
import { claimFreeSlug } from './slug.ts'

/** `GET /v1/wiki/admin/articles/{id}/export` */
export const read = route({
  method: 'GET',
  path: '/admin/articles/{id}/export',
  summary: 'Export an article as Markdown with its evidence',
  description:
    'The newest version: Markdown, and in front of it what it rests on, in JSON between two lines `---`: entities, claims, quotes, where and when each was found. An import takes it as it is.',
  scope: 'wiki:write',
  params: z.object({ id: pathId('article') }),
  status: 200,
  reply: z.object({ filename: z.string(), document: z.string() }),
  problems: ['not_found'],
  async handle({ params: { id }, org, db }) {
    const article = await mustFind(articles.find(db, org.id, id), 'article')
    const { title, summary, tags, body } = await mustFind(versions.findByNumber(db, id, article.version), 'version')
    const made = await claims.list(
      db,
      org.id,
      { articleId: id, entityId: undefined, property: undefined, rank: undefined },
      { before: undefined, limit: 100 },
    )
    const kept = made.filter(({ rank }) => rank !== 'deprecated').toReversed()
    const cited = Map.groupBy(
      await documentReferences(
        db,
        kept.map(({ id }) => id),
      ),
      ({ claim_id }) => claim_id,
    )
    const ids = [...new Set(kept.flatMap(({ entity_id, value }) => [entity_id, ...entityOf(value)]))]
    const known = await entities.listOf(db, org.id, ids)
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
    return { filename: `${article.slug}.md`, document: written(front as never, body) }
  },
})

const entityOf = (value: { type: string; content?: unknown }): string[] =>
  value.type === 'entity' && typeof value.content === 'string' ? [value.content] : []

/** `POST /v1/wiki/admin/import` */
export const create = route({
  method: 'POST',
  path: '/admin/import',
  summary: 'Import an article with its evidence',
  description:
    'Takes what an export gave, of this or another installation: a draft, its entities (those that the organisation has by their ids stay as they are), its claims, and their sources, of which snapshots are taken anew. All of it, or nothing.',
  scope: 'wiki:write',
  idempotent: true,
  bodyLimit,
  enqueues: capture,
  body: z.strictObject({ document: z.string().min(1).max(1_000_000), ...changeFields }),
  status: 201,
  reply: Article,
  problems: [slugTaken],
  async handle({ body: { document, comment, author }, org, key, db, origin }) {
    const { front, body } = readDocument(document)
    const id = newId()
    const slug = front.slug ?? (await claimFreeSlug(db, id, front.title))
    if (front.slug !== undefined) await claimSlug(db, id, slug)
    const article = await articles.insert(db, { id, org_id: org.id, slug, language: front.language })
    const claimIds = await bringClaims(db, org.id, id, front)
    const { title, summary, tags } = front
    const text = { title, summary, tags, body: recited(body, claimIds) }
    await writeVersion(db, id, 1, text, { keyId: key.id, comment, author })
    return await presentArticle(db, article, origin)
  },
})

/** Makes what a document says of entities and claims; the new ids of its claims. */
async function bringClaims(tx: Db, orgId: string, articleId: string, front: WikiDocument['front']) {
  const entityIds = await bringEntities(tx, orgId, front)
  const claimIds = new Map(front.claims.map(({ id }) => [id, newId()]))
  for (const [i, claim] of front.claims.entries()) {
    const field = `body.document.claims.${i}`
    const id = claimIds.get(claim.id) ?? claim.id
    const value =
      claim.value.type === 'entity' ? { ...claim.value, content: mapped(entityIds, claim.value.content) } : claim.value
    const given = []
    for (const [at, { uri, title, publisher, quote, locator }] of claim.references.entries()) {
      const facts = { title: title ?? undefined, publisher: publisher ?? undefined }
      const place = { id: newId(), org_id: orgId, uri: uri.uri, canonical_url: uri.canonicalUrl }
      const source = await sources.register(tx, { ...place, ...facts })
      const snapshot = await requestSnapshot(tx, source)
      const reference = { source_id: source.id, snapshot_id: snapshot.id, quote, ...(locator && { locator }) }
      given.push({ field: `${field}.references.${at}`, given: reference })
    }
    const entity_id = mapped(entityIds, claim.entity_id)
    if (!(await entities.existing(tx, orgId, [entity_id])).has(entity_id))
      throw badRequest([{ field: `${field}.entity_id`, issue: 'is no entity of the document, nor of yours' }])
    const cited = await cite(tx, orgId, { value, qualifiers: claim.qualifiers, references: given })
    const { property, qualifiers, rank } = claim
    await claims.insert(tx, {
      id,
      org_id: orgId,
      entity_id,
      property,
      value,
      qualifiers,
      rank,
      deprecation_reason: null,
    })
    await references.add(
      tx,
      cited.map((one) => ({ ...one, claim_id: id })),
    )
    await claims.setArticles(tx, id, [articleId])
  }
  return claimIds
}

const mapped = (ids: ReadonlyMap<string, string>, id: string): string => ids.get(id) ?? id

/** Makes the entities that the organisation does not have; the ids of all by those that the document has for them. */
async function bringEntities(tx: Db, orgId: string, { entities: given }: WikiDocument['front']) {
  const ids = given.map(({ id }) => id)
  const known = await entities.existing(tx, orgId, ids)
  const made = new Map<string, string>()
  for (const { id, type, labels, descriptions = {}, aliases = {}, external_ids = {} } of given) {
    if (known.has(id)) {
      made.set(id, id)
      continue
    }
    const row = { id: newId(), org_id: orgId, type, labels, descriptions, aliases, external_ids }
    demandFewNames(row, 'labels')
    await entities.insert(tx, row)
    made.set(id, row.id)
  }
  return made
}

/** A text with the new ids of the claims that it cites. */
const recited = (body: string, claimIds: ReadonlyMap<string, string>): string =>
  [...claimIds].reduce((text, [before, after]) => text.replaceAll(`[^${before}]`, `[^${after}]`), body)
