import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isUnproven, problem } from './evidence.ts'
import { Fault } from './references.ts'

export const ArticleFault = z.object({
  article_id: Id,
  slug: z.string(),
  claim_id: Id.nullable(),
  problem: z.enum(['no_reference', ...Fault.options, 'not_a_claim_of_the_article', 'no_claim_left']),
})

export type ArticleFault = z.infer<typeof ArticleFault>

const uuids = (ids: readonly string[]) => sql.array([...ids], 'uuid')

/**
 * Locks claims, then the articles that make these claims and the given articles. Returns the IDs of all these articles.
 * A publication locks its article before it reads its claims, so neither can miss the other.
 */
export async function lock(
  tx: Db,
  claimIds: readonly string[],
  articleIds: readonly string[],
): Promise<readonly string[]> {
  await tx.query(sql.typeAlias('void')`
    select from wiki.claims where id = any(${uuids(claimIds)}) order by id for no key update`)
  return await tx.anyFirst(sql.type(z.object({ id: Id }))`
    select id from wiki.articles
    where id = any(${uuids(articleIds)})
      or id in (select article_id from wiki.claim_articles where claim_id = any(${uuids(claimIds)}))
    order by id for update`)
}

export async function findFaults(
  tx: Db,
  claimIds: readonly string[],
  articleIds: readonly string[],
): Promise<readonly ArticleFault[]> {
  return await tx.any(sql.type(ArticleFault)`
    with published as (
      select a.id, a.slug, v.body from wiki.articles as a
      join wiki.article_versions as v on v.article_id = a.id and v.number = a.published_version
      where a.id = any(${uuids(articleIds)})
    ), asserted as (
      select l.article_id, c.* from wiki.claim_articles as l
      join wiki.claims as c on c.id = l.claim_id and c.rank <> 'deprecated'
      where l.article_id = any(${uuids(articleIds)})
    )
    select p.id as article_id, p.slug, c.id as claim_id, ${problem} as problem
    from published as p join asserted as c on c.article_id = p.id
    where c.id = any(${uuids(claimIds)}) and ${isUnproven}
    union all
    select p.id, p.slug, claim.id, 'not_a_claim_of_the_article'
    from published as p cross join unnest(${uuids(claimIds)}) as claim (id)
    where strpos(p.body, '[^' || claim.id || ']') > 0
      and not exists (select from asserted as c where c.article_id = p.id and c.id = claim.id)
    union all
    select p.id, p.slug, null, 'no_claim_left' from published as p
    where not exists (select from asserted as c where c.article_id = p.id)
    order by article_id, claim_id, problem`)
}
