import type { FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { runBounded } from '../bounded.ts'
import { type DatabasePool, type Db, sql } from '../db.ts'
import { ownerLexeme } from './caption-cues.ts'

/** A language of captions, and the Postgres configuration in which its words are compared. */
export interface SearchedLanguage {
  language: string
  configuration: string
}

const Hit = z.object({
  asset_id: Id,
  title: z.string().nullable(),
  language: z.string(),
  from_seconds: z.number(),
  to_seconds: z.number(),
  text: z.string(),
  /** The compared text, with marks around found words. */
  marked: z.string(),
})

export type Hit = z.infer<typeof Hit>

/** A query in the syntax of `websearch_to_tsquery`, and the options of `ts_headline`. */
export interface Query {
  text: string
  marks: string
  limit: number
}

const Language = z.object({ language: z.string() })

const mostLanguages = 100

/** Returns the languages of the ready captions of an organisation, or of one of its assets. */
export async function listLanguages(db: Db, orgId: string, assetId: string | null): Promise<readonly string[]> {
  if (assetId !== null)
    return await db.anyFirst(sql.type(Language)`
      select language from video.captions where asset_id = ${assetId} and org_id = ${orgId} and state = 'ready'`)
  const next = (after: FragmentSqlToken) => sql.fragment`(
    select c.language from video.captions as c where c.org_id = ${orgId} and c.state = 'ready' and c.language > ${after}
    order by c.language limit 1)`
  return await db.anyFirst(sql.type(Language)`
    with recursive known as (
      select ${next(sql.fragment`''`)} as language
      union all
      select ${next(sql.fragment`known.language`)} from known where known.language is not null)
    select language from known where language is not null limit ${mostLanguages}`)
}

const languagesOf = (languages: readonly SearchedLanguage[]) => sql.fragment`
  unnest(${sql.array(
    languages.map(({ language }) => language),
    'text',
  )}, ${sql.array(
    languages.map(({ configuration }) => configuration),
    'text',
  )}) as k (language, configuration)`

/**
 * Each cue also has the words of the next one. So the condition omits cues whose next cue has all found words itself. A
 * hit in two cues has the text and the end of both.
 */
const hits = sql.fragment`
  left join video.caption_cues as n on n.captions_id = c.captions_id and n.number = c.number + 1
  cross join lateral (select to_tsvector(k.configuration::regconfig, c.search_text) @@ q.query as own,
    to_tsvector(k.configuration::regconfig, coalesce(n.search_text, '')) @@ q.query as next) as found
  cross join lateral (select
    case when own then c.to_seconds else n.to_seconds end as to_seconds,
    case when own then c.text else c.text || ' ' || n.text end as text,
    case when own then c.search_text else c.search_text || ' ' || n.search_text end as searched) as hit`

const isHit = sql.fragment`(found.own or (not found.next and n.number is not null))`

const marked = ({ marks }: Query) =>
  sql.fragment`ts_headline(configuration::regconfig, searched, query, ${marks}) as marked`

/** Finds cues of an asset, in the order of their times. Throws `TooBroadError`. */
export async function searchAsset(
  db: DatabasePool,
  { orgId, assetId }: { orgId: string; assetId: string },
  languages: readonly SearchedLanguage[],
  query: Query,
): Promise<readonly Hit[]> {
  return await runBounded(db, (tx) =>
    tx.any(sql.type(Hit)`
      with hits as materialized (
        select a.id as asset_id, a.title, t.language, k.configuration, q.query, c.from_seconds, hit.*
        from video.assets as a join video.captions as t on t.asset_id = a.id and t.state = 'ready'
          join ${languagesOf(languages)} on k.language = t.language
          cross join lateral (select websearch_to_tsquery(k.configuration::regconfig, ${query.text}) as query) as q
          join video.caption_cues as c on c.captions_id = t.id and c.search @@ q.query
          ${hits}
        where a.id = ${assetId} and a.org_id = ${orgId} and a.status <> 'deleted' and numnode(q.query) > 0 and ${isHit}
        order by c.from_seconds, t.language limit ${query.limit})
      select asset_id, title, language, from_seconds, to_seconds, text, ${marked(query)} from hits
      order by from_seconds, language`),
  )
}

/** Maximum number of hits of an asset, and of matching cues of a track from which they are taken. */
const [mostHits, mostCues] = [3, 20]

/** Maximum number of tracks that a search reads for each asset that it returns. Assets can have several tracks. */
const tracksPerAsset = 5

/** Finds cues of all assets of an organisation: up to three of each asset, newest asset first. Throws `TooBroadError`. */
export async function searchAll(
  db: DatabasePool,
  orgId: string,
  languages: readonly SearchedLanguage[],
  query: Query,
): Promise<readonly Hit[]> {
  const mine = `'${ownerLexeme(orgId)}'`
  return await runBounded(db, (tx) =>
    tx.any(sql.type(Hit)`
      with spoken as (select k.language, k.configuration from ${languagesOf(languages)}
      ), found as materialized (
        select k.configuration, q.query, c.captions_id, c.numbers
        from (select distinct configuration from spoken) as k
          cross join lateral (select websearch_to_tsquery(k.configuration::regconfig, ${query.text}) as query) as q
          cross join lateral (select captions_id, (array_agg(number order by number))[1:${mostCues}] as numbers
            from video.caption_cues
            where numnode(q.query) > 0 and search @@ (${mine}::tsquery && q.query) and org_id = ${orgId}
            group by captions_id) as c
      ), tracks as materialized (
        select t.id, t.asset_id, t.language, found.configuration, found.query, found.numbers
        from found join video.captions as t on t.id = found.captions_id and t.state = 'ready'
          join spoken on spoken.language = t.language and spoken.configuration = found.configuration
        order by t.id desc limit ${query.limit * tracksPerAsset}
      ), hits as materialized (
        select a.id as asset_id, a.title, a.created_at, k.language, k.configuration, k.query, c.from_seconds, hit.*,
          row_number() over (partition by a.id order by c.from_seconds, k.language) as place
        from tracks as k
          cross join lateral (select k.query) as q
          join video.assets as a on a.id = k.asset_id and a.status <> 'deleted'
          cross join lateral unnest(k.numbers) as matching (number)
          join video.caption_cues as c on c.captions_id = k.id and c.number = matching.number
          ${hits}
        where ${isHit}
      ), assets as (
        select asset_id, max(created_at) as created_at from hits group by asset_id order by 2 desc, 1 desc limit ${query.limit})
      select asset_id, title, language, from_seconds, to_seconds, text, ${marked(query)}
      from hits join assets using (asset_id) where place <= ${mostHits}
      order by assets.created_at desc, asset_id desc, from_seconds, language`),
  )
}
