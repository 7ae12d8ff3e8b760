import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { Fault, fault, proves } from './references.ts'

export const UnprovenClaim = z.object({
  claim_id: Id,
  entity_id: Id,
  property: z.string(),
  problem: z.enum(['no_reference', ...Fault.options]),
})

export type UnprovenClaim = z.infer<typeof UnprovenClaim>

/** The least severe problem of the references of a claim `c`. */
export const problem = sql.fragment`coalesce((
  select ${fault} from wiki.claim_references as r join wiki.snapshots as s on s.id = r.snapshot_id where r.claim_id = c.id
  order by s.status = 'pending' desc, s.status = 'ok' desc, r.quote_verified desc, s.reading is null desc limit 1), 'no_reference')`

/** True if no reference proves a claim `c`. */
export const isUnproven = sql.fragment`not exists (
  select from wiki.claim_references as r where r.claim_id = c.id and ${proves})`

const claimsOf = (articleId: string) => sql.fragment`
  wiki.claim_articles as a join wiki.claims as c on c.id = a.claim_id and c.rank <> 'deprecated'
  where a.article_id = ${articleId}`

export async function countClaims(tx: Db, articleId: string): Promise<number> {
  return await tx.oneFirst(sql.typeAlias('count')`select count(*) from ${claimsOf(articleId)}`)
}

/**
 * Returns the claims of an article without a proof, oldest first. The article can be published only if all its claims
 * have a proof.
 */
export async function listUnproven(tx: Db, articleId: string): Promise<readonly UnprovenClaim[]> {
  return await tx.any(sql.type(UnprovenClaim)`
    select c.id as claim_id, c.entity_id, c.property, ${problem} as problem
    from ${claimsOf(articleId)} and ${isUnproven}
    order by c.id`)
}

/** Returns a hash of the IDs of an article's claims and references. Only the state of these rows can change. */
export async function evidenceHash(db: Db, articleId: string): Promise<string> {
  return await db.oneFirst(sql.type(z.object({ hash: z.string() }))`
    select encode(sha256(convert_to(coalesce(string_agg(id::text, ' ' order by id), ''), 'UTF8')), 'hex') as hash
    from (
      select c.id from ${claimsOf(articleId)}
      union all
      select r.id from wiki.claim_references as r where r.claim_id in (select c.id from ${claimsOf(articleId)})
    ) as all_of_it`)
}

export const Proof = z.object({
  claim_id: Id,
  entity: z.record(z.string(), z.string()),
  property: z.string(),
  value: z.looseObject({ type: z.string() }),
  reference_id: Id,
  quote: z.string(),
  locator: z.string().nullable(),
  page: z.number().nullable(),
  source_id: Id,
  snapshot_id: Id,
  url: z.string(),
  title: z.string().nullable(),
  publisher: z.string().nullable(),
  captured_at: z.date(),
})

export type Proof = z.infer<typeof Proof>

/**
 * Returns the proofs of an article for its footnotes: verified quotes by claim, oldest first. While the article is
 * published, includes quotes that were verified under earlier rules.
 */
export async function listProofs(db: Db, articleId: string): Promise<readonly Proof[]> {
  return await db.any(sql.type(Proof)`
    select c.id as claim_id, e.labels as entity, c.property, c.value, r.id as reference_id, r.quote, r.locator, r.page,
      s.id as source_id, p.id as snapshot_id, s.canonical_url as url, coalesce(s.title, p.title) as title,
      s.publisher, p.captured_at
    from wiki.claim_articles as a
    join wiki.claims as c on c.id = a.claim_id and c.rank <> 'deprecated'
    join wiki.entities as e on e.id = c.entity_id
    join wiki.claim_references as r on r.claim_id = c.id and r.quote_verified
    join wiki.snapshots as p on p.id = r.snapshot_id
    join wiki.sources as s on s.id = r.source_id
    where a.article_id = ${articleId}
    order by c.id, r.id`)
}

const DocumentReference = z.object({
  claim_id: Id,
  uri: z.string(),
  title: z.string().nullable(),
  publisher: z.string().nullable(),
  quote: z.string(),
  locator: z.string().nullable(),
  page: z.number().nullable(),
  captured_at: z.date().nullable(),
  sha256: z.string().nullable(),
})

export async function listDocumentReferences(
  db: Db,
  claimIds: readonly string[],
  limit: number,
): Promise<readonly z.infer<typeof DocumentReference>[]> {
  return await db.any(sql.type(DocumentReference)`
    select r.claim_id, s.uri, s.title, s.publisher, r.quote, r.locator, r.page, p.captured_at, p.sha256
    from wiki.claim_references as r join wiki.snapshots as p on p.id = r.snapshot_id
    join wiki.sources as s on s.id = r.source_id
    where r.claim_id = any(${sql.array([...claimIds], 'uuid')}) order by r.id limit ${limit}`)
}
