import type { FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { isOpen } from '../account/closures.ts'
import { type Db, sql } from '../db.ts'

export const Type = z.enum(['video', 'short', 'live', 'channel'])

export const Hit = z.object({ type: Type, score: z.number(), at: z.date(), id: Id })

export type Hit = z.infer<typeof Hit>

/** Ranges of the duration filters in seconds: below four minutes, up to twenty minutes, longer. */
export const durationRanges = { short: [0, 240], medium: [240, 1200], long: [1200, null] } as const

export interface SearchQuery {
  /** Query for `websearch_to_tsquery`: words, "phrases", or, -without. In lower case and without accents. */
  q: string
  type: z.infer<typeof Type> | undefined
  channelId: string | undefined
  language: string | undefined
  orgId: string | undefined
  duration: keyof typeof durationRanges | undefined
  publishedAfter: string | undefined
  sort: 'relevance' | 'newest'
}

/** Maximum number of matches that are ranked: the newest matches. Comparing a match with the query takes about 5 µs. */
const ranked = 400

interface Source {
  from: FragmentSqlToken
  type: FragmentSqlToken
  at: FragmentSqlToken
  conditions: FragmentSqlToken[]
}

/** Returns the tables to search, with their filters. A filter that does not apply to a type excludes its table. */
function sourcesOf(wanted: SearchQuery): Source[] {
  const { type, channelId, language, orgId, duration, publishedAfter } = wanted
  const narrowed = (at: FragmentSqlToken) => [
    isOpen('s'),
    ...(language ? [sql.fragment`s.language = ${language}`] : []),
    ...(orgId ? [sql.fragment`s.org_id = ${orgId}`] : []),
    ...(publishedAfter ? [sql.fragment`${at} > ${publishedAfter}`] : []),
  ]
  const listed = [sql.fragment`s.listed`, ...(channelId ? [sql.fragment`s.channel_id = ${channelId}`] : [])]
  const [published, created] = [sql.fragment`s.published_at`, sql.fragment`s.created_at`]
  const [from = 0, to = null] = duration ? durationRanges[duration] : []
  const videos: Source = {
    from: sql.fragment`directory.videos as s`,
    type: sql.fragment`s.kind`,
    at: published,
    conditions: [
      ...listed,
      ...narrowed(published),
      ...(type === 'video' || type === 'short' ? [sql.fragment`s.kind = ${type}`] : []),
      ...(duration ? [sql.fragment`s.duration_seconds >= ${from}`] : []),
      ...(to === null ? [] : [sql.fragment`s.duration_seconds < ${to}`]),
    ],
  }
  const live: Source = {
    from: sql.fragment`directory.live_streams as s`,
    type: sql.fragment`'live'`,
    at: created,
    conditions: [...listed, ...narrowed(created)],
  }
  const channels: Source = {
    from: sql.fragment`directory.channels as s`,
    type: sql.fragment`'channel'`,
    at: created,
    conditions: narrowed(created),
  }
  const all = type === undefined
  return [
    ...(all || type === 'video' || type === 'short' ? [videos] : []),
    ...((all || type === 'live') && !duration ? [live] : []),
    ...((all || type === 'channel') && !duration && !channelId ? [channels] : []),
  ]
}

/** Returns the results after `before`, best or newest first. Call it in a transaction with a statement timeout. */
export async function find(
  tx: Db,
  wanted: SearchQuery,
  { before, limit }: { before: { score: number; at: string; id: string } | undefined; limit: number },
): Promise<readonly Hit[]> {
  const newest = wanted.sort === 'newest'
  const query = sql.fragment`websearch_to_tsquery('simple', ${wanted.q})`
  const found = sourcesOf(wanted).map(({ from, type, at, conditions }) => {
    const score = newest
      ? sql.fragment`0`
      : sql.fragment`ts_rank('{0.1, 0.2, 0.4, 1}', s.search, ${query}, 33) + similarity(s.folded, ${wanted.q})`
    const behind = newest && before ? [sql.fragment`(${at}, s.id) < (${before.at}, ${before.id})`] : []
    const all = [sql.fragment`s.search @@ ${query}`, ...conditions, ...behind]
    return sql.fragment`(
      select ${type} as type, round((${score})::numeric, 6)::float8 as score, s.at, s.id from (
        select s.*, ${at} as at from ${from} where ${sql.join(all, sql.fragment` and `)}
        order by ${at} desc, s.id desc limit ${newest ? limit : ranked}
      ) as s)`
  })
  if (found.length === 0) return []
  const behind =
    before && !newest
      ? sql.fragment`where (score, at, id) < (${before.score}::float8, ${before.at}, ${before.id})`
      : sql.fragment``
  return await tx.any(sql.type(Hit)`
    select type, score, at, id from (${sql.join(found, sql.fragment` union all `)}) as found
    ${behind} order by score desc, at desc, id desc limit ${limit}`)
}
