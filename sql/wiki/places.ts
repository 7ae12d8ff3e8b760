import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { lockOrgLimit } from '../org-limits.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'wiki',
  'article_places',
  z.object({ article_id: Id, org_id: Id, parent_id: Id.nullable(), position: z.number() }),
)

export type Place = z.infer<typeof table.Row>

/** Maximum depth of a tree, and maximum number of articles per read. */
export const [mostDeep, mostRead] = [10, 5_000]

/**
 * Moves an article below another article or to the top. Returns false if the article would be below itself or too deep.
 * Only one change of a tree runs at a time.
 */
export async function put(tx: Db, place: Place): Promise<boolean> {
  await lockOrgLimit(tx, place.org_id, 'wiki.tree')
  await tx.query(sql.typeAlias('void')`
    ${table.insert(place)}
    on conflict (article_id) do update set parent_id = excluded.parent_id, position = excluded.position`)
  const Deepest = z.object({ above: z.number(), below: z.number() })
  const { above, below } = await tx.one(sql.type(Deepest)`
    with recursive up as (
      select parent_id, 1 as depth from wiki.article_places where article_id = ${place.article_id}
      union all
      select p.parent_id, up.depth + 1 from up join wiki.article_places as p on p.article_id = up.parent_id
      where up.depth <= ${mostDeep}
    ), down as (
      select ${place.article_id}::uuid as article_id, 0 as depth
      union all
      select p.article_id, down.depth + 1 from down join wiki.article_places as p on p.parent_id = down.article_id
      where down.depth <= ${mostDeep}
    )
    select (select count(*)::int4 from up where parent_id is not null) as above, (select max(depth) from down) as below`)
  // A cycle is endless, so both counts reach the limit.
  return above + below < mostDeep
}

const TreeArticle = z.object({
  id: Id,
  slug: z.string(),
  title: z.string(),
  status: z.enum(['draft', 'published', 'withdrawn']),
  language: z.string(),
  parent_id: Id.nullable(),
  position: z.number(),
})

export type TreeArticle = z.infer<typeof TreeArticle>

export async function tree(db: Db, orgId: string, withDrafts: boolean): Promise<readonly TreeArticle[]> {
  const version = withDrafts ? sql.fragment`a.version` : sql.fragment`a.published_version`
  const seen = withDrafts ? sql.fragment`` : sql.fragment`and a.status = 'published'`
  return await db.any(sql.type(TreeArticle)`
    select a.id, a.slug, v.title, a.status, a.language, p.parent_id, coalesce(p.position, 0) as position
    from wiki.articles as a join wiki.article_versions as v on v.article_id = a.id and v.number = ${version}
    left join wiki.article_places as p on p.article_id = a.id
    where a.org_id = ${orgId} ${seen} order by a.id limit ${mostRead}`)
}

const Near = TreeArticle.pick({ id: true, slug: true, title: true })

export type Near = z.infer<typeof Near>

/** Returns the published ancestors of an article, top first, and its children in order. */
export async function findNearby(
  db: Db,
  articleId: string,
): Promise<{ above: readonly Near[]; below: readonly Near[] }> {
  const title = sql.fragment`
    join wiki.articles as a on a.id = found.id and a.status = 'published'
    join wiki.article_versions as v on v.article_id = a.id and v.number = a.published_version`
  const above = await db.any(sql.type(Near)`
    with recursive up as (
      select parent_id as id, 1 as depth from wiki.article_places where article_id = ${articleId}
      union all
      select p.parent_id, up.depth + 1 from up join wiki.article_places as p on p.article_id = up.id
      where up.depth < ${mostDeep}
    )
    select a.id, a.slug, v.title from up as found ${title} order by found.depth desc`)
  const below = await db.any(sql.type(Near)`
    select a.id, a.slug, v.title
    from (select article_id as id, position from wiki.article_places where parent_id = ${articleId}) as found ${title}
    order by found.position, v.title, a.id limit 200`)
  return { above, below }
}
