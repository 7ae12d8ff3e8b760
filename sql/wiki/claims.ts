import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { defineTable } from '../table.ts'

/** Rank of a claim among the claims of the same property, as in Wikibase. */
export const Rank = z.enum(['preferred', 'normal', 'deprecated'])

export const table = defineTable(
  'wiki',
  'claims',
  z.object({
    id: Id,
    org_id: Id,
    entity_id: Id,
    property: z.string(),
    value: z.looseObject({ type: z.string() }),
    qualifiers: z.array(z.looseObject({ property: z.string() })),
    rank: Rank,
    deprecation_reason: z.string().nullable(),
    created_at: z.date(),
    updated_at: z.date(),
  }),
)

export const Claim = table.Row.extend({ article_ids: z.array(Id) })

export type Claim = z.infer<typeof Claim>

export const columns = sql.fragment`${table.columns('c')}, array(
  select article_id from wiki.claim_articles where claim_id = c.id order by article_id) as article_ids`

export async function insert(
  tx: Db,
  claim: Omit<z.infer<typeof table.Row>, 'created_at' | 'updated_at'>,
): Promise<void> {
  await tx.query(sql.typeAlias('void')`${table.insert(claim)}`)
}

export async function insertMany(
  tx: Db,
  articleId: string,
  claims: readonly Omit<z.infer<typeof table.Row>, 'created_at' | 'updated_at'>[],
): Promise<void> {
  if (claims.length === 0) return
  await tx.query(sql.typeAlias('void')`${table.insertMany(claims)}`)
  const ids = claims.map(({ id }) => id)
  await tx.query(sql.typeAlias('void')`
    insert into wiki.claim_articles (article_id, claim_id) select ${articleId}, id from unnest(${sql.array(ids, 'uuid')}) as id`)
}

export async function find(db: Db, orgId: string, id: string): Promise<Claim | null> {
  return await db.maybeOne(sql.type(Claim)`
    select ${columns} from wiki.claims as c where c.id = ${id} and c.org_id = ${orgId}`)
}

/** Locks a claim. Returns its value, or `null` if the claim does not exist. */
export async function lock(tx: Db, orgId: string, id: string): Promise<Claim['value'] | null> {
  return await tx.maybeOneFirst(sql.type(table.Row.pick({ value: true }))`
    select value from wiki.claims where id = ${id} and org_id = ${orgId} for update`)
}

/** Returns the claims that use a snapshot, or any snapshot of a source. */
export async function listUsingEvidence(
  tx: Db,
  { snapshotId, sourceId }: { snapshotId?: string; sourceId?: string },
): Promise<readonly string[]> {
  return await tx.anyFirst(sql.type(z.object({ claim_id: Id }))`
    select distinct claim_id from wiki.claim_references
    where snapshot_id = ${snapshotId ?? null} or source_id = ${sourceId ?? null}`)
}

/**
 * Filter of claims. For `rank`, `best` selects the preferred claims of each property, or its normal claims if none is
 * preferred. `asserted` selects all except deprecated claims.
 */
const asserted = sql.fragment`c.rank <> 'deprecated'`
const best = sql.fragment`${asserted} and (c.rank = 'preferred' or not exists (
  select from wiki.claims as other
  where other.entity_id = c.entity_id and other.property = c.property and other.rank = 'preferred'))`

export const filters = {
  entity_id: table.equals('entity_id', 'c'),
  article_id: (id: string) => sql.fragment`c.id in (select claim_id from wiki.claim_articles where article_id = ${id})`,
  property: table.equals('property', 'c'),
  rank: (rank: z.infer<typeof Rank> | 'best' | 'asserted') =>
    rank === 'best' ? best : rank === 'asserted' ? asserted : sql.fragment`c.rank = ${rank}`,
}

export async function list(
  db: Db,
  orgId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly Claim[]> {
  return await db.any(sql.type(Claim)`
    select ${columns} from wiki.claims as c where c.org_id = ${orgId} and ${where} and ${isOlder(before, ['c', 'id'])}
    order by c.id desc limit ${limit}`)
}

export async function setRank(tx: Db, id: string, rank: z.infer<typeof Rank>, reason: string | null): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update wiki.claims set rank = ${rank}, deprecation_reason = ${reason}, updated_at = now() where id = ${id}`)
}

export async function existingArticles(db: Db, orgId: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const found = await db.anyFirst(sql.type(z.object({ id: Id }))`
    select id from wiki.articles where org_id = ${orgId} and id = any(${sql.array([...ids], 'uuid')})`)
  return new Set(found)
}

export async function setArticles(tx: Db, id: string, articleIds: readonly string[]): Promise<void> {
  const wanted = sql.array([...new Set(articleIds)], 'uuid')
  await tx.query(sql.typeAlias('void')`
    delete from wiki.claim_articles where claim_id = ${id} and article_id <> all(${wanted})`)
  await tx.query(sql.typeAlias('void')`
    insert into wiki.claim_articles (article_id, claim_id) select article, ${id} from unnest(${wanted}) as article
    on conflict do nothing`)
}
