import type { FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { table as chunks } from './chunks.ts'
import { fuseRankings, type Place } from './fuse.ts'
import { detectConfigurations } from './languages.ts'
import { table as sources } from './sources.ts'
import { type Embedded, type Near, type NearSentence, nearest } from './vectors.ts'

const FoundChunk = chunks.Row.extend({
  title: sources.Row.shape.title,
  url: sources.Row.shape.url,
})

export interface Found extends z.infer<typeof FoundChunk> {
  /** Share of the weight of the question’s words that the chunk has, from 0 to 1. */
  share: number
  /** Likeness of the question and the chunk by their vectors, from -1 to 1. `null` if there are no vectors. */
  likeness: number | null
  /** Sentences of the chunk that are most like the question, best first. Empty if its sentences have no vectors. */
  sentences: readonly NearSentence[]
}

/** Maximum length of a question in UTF-16 units. The rest is ignored. */
const longestQuestion = 20_000

/** Maximum number of ranked chunks per list, much higher than the number that a caller can request. */
const ranked = 200

/**
 * Minimum share of the weight of the question’s words that a chunk must have to be ranked by words next to vectors. A
 * chunk that shares one stray word with the question would outrank chunks with the same meaning (measured).
 */
const leastShare = 0.5

interface Wanted {
  collectionId: string
  question: string
  /** Vector of the question. If given, chunks with vectors of the same model are also found by vector. */
  embedded?: Embedded | undefined
  /** SQL expression of an array of source IDs in ascending order. If given, only their chunks are found. */
  only?: FragmentSqlToken | undefined
  most: number
}

/**
 * Returns the chunks of a collection that best match a question, best first. It combines the ranks of a word search
 * and, if there are vectors, of a vector search (reciprocal rank fusion). Chunks with few words of the question and
 * without a vector come last.
 */
export async function find(db: Db, wanted: Wanted): Promise<readonly Found[]> {
  const [byWords, byVectors] = [await findWords(db, wanted), await findVectors(db, wanted)]
  if (byVectors.length === 0) return await read(db, byWords.slice(0, wanted.most), byWords, byVectors)
  const strong = byWords.filter(({ share }) => share >= leastShare)
  const fused = fuseRankings([strong, byVectors])
  return await read(db, unique([...fused, ...byWords]).slice(0, wanted.most), byWords, byVectors)
}

const keyOf = ({ source_id, place }: Place) => `${source_id} ${place}`

/** Returns each place once, where it comes first. */
const unique = (places: readonly Place[]): Place[] => [
  ...new Map(places.map((place) => [keyOf(place), place])).values(),
]

const WordMatch = chunks.Row.pick({ source_id: true, place: true }).extend({ share: z.number() })

type WordMatch = z.infer<typeof WordMatch>

async function findWords(db: Db, { collectionId, question, only }: Wanted): Promise<readonly WordMatch[]> {
  const asked = question.slice(0, longestQuestion)
  const [configuration = 'simple'] = await detectConfigurations([asked])
  return await db.any(sql.type(WordMatch)`
    select source_id, place, share
    from knowledge.find(${collectionId}, ${asked}, ${configuration}, ${ranked}, ${only ?? sql.fragment`null`})
    order by score desc, source_id, place`)
}

const findVectors = async (db: Db, { collectionId, embedded, only }: Wanted): Promise<readonly Near[]> =>
  embedded === undefined ? [] : await nearest(db, collectionId, embedded, ranked, only)

/** Returns the chunks at these places, in this order. Omits deleted chunks. */
async function read(
  db: Db,
  places: readonly Place[],
  byWords: readonly WordMatch[],
  near: readonly Near[],
): Promise<readonly Found[]> {
  const rows = places.map(({ source_id, place }, i) => [source_id, place, i])
  const found = await db.any(sql.type(FoundChunk)`
    select ${chunks.columns('c')}, s.title, s.url
    from ${sql.unnest(rows, ['uuid', 'int4', 'int4'])} as w (source_id, place, rank)
    join knowledge.chunks as c using (source_id, place) join knowledge.sources as s on s.id = c.source_id
    order by w.rank`)
  const nearOf = new Map(near.map((one) => [keyOf(one), one]))
  const shareOf = new Map(byWords.map((one) => [keyOf(one), one.share]))
  return found.map((chunk) => {
    const { likeness = null, sentences = [] } = nearOf.get(keyOf(chunk)) ?? {}
    return { ...chunk, share: shareOf.get(keyOf(chunk)) ?? 0, likeness, sentences }
  })
}

/** Returns the first chunks of a collection up to this number of characters in total. Used if there is no question. */
export async function listFirst(db: Db, collectionId: string, characters: number): Promise<readonly Found[]> {
  const first = await db.any(sql.type(FoundChunk)`
    with counted as (
      select s.id, s.title, s.url, sum(s.characters) over (order by s.id) - s.characters as before
      from knowledge.sources as s where s.collection_id = ${collectionId}
    )
    select ${chunks.columns('c')}, s.title, s.url
    from counted as s join knowledge.chunks as c on c.source_id = s.id
    where s.before < ${characters} and s.before + c.start < ${characters}
    order by s.id, c.place`)
  return first.map((chunk) => ({ ...chunk, share: 0, likeness: null, sentences: [] }))
}
