import type { FragmentSqlToken } from 'slonik'
import type { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { table as chunks } from './chunks.ts'
import { detectConfiguration } from './languages.ts'
import { table as sources } from './sources.ts'
import { type Embedded, nearest } from './vectors.ts'

const FoundChunk = chunks.Row.extend({
  title: sources.Row.shape.title,
  url: sources.Row.shape.url,
})

export type Found = z.infer<typeof FoundChunk>

const Place = chunks.Row.pick({ source_id: true, place: true })

/** Maximum length of a question in UTF-16 units. The rest is ignored. */
const longestQuestion = 20_000

/** Maximum number of ranked chunks per list, much higher than the number that a caller can request. */
const ranked = 200

/** The usual constant of reciprocal rank fusion. The higher it is, the less the rank matters. */
const damping = 60

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
 * and, if there are vectors, of a vector search (reciprocal rank fusion).
 */
export async function find(db: Db, wanted: Wanted): Promise<readonly Found[]> {
  const [byWords, byVectors] = [await findWords(db, wanted), await findVectors(db, wanted)]
  const fused = byVectors.length === 0 ? byWords : fuseRankings([byWords, byVectors])
  return await read(db, fused.slice(0, wanted.most))
}

type Place = z.infer<typeof Place>

async function findWords(db: Db, { collectionId, question, only }: Wanted): Promise<readonly Place[]> {
  const asked = question.slice(0, longestQuestion)
  return await db.any(sql.type(Place)`
    select source_id, place from knowledge.find(${collectionId}, ${asked}, ${detectConfiguration(asked)}, ${ranked},
      ${only ?? sql.fragment`null`})
    order by score desc, source_id, place`)
}

const findVectors = async (db: Db, { collectionId, embedded, only }: Wanted): Promise<readonly Place[]> =>
  embedded === undefined ? [] : await nearest(db, collectionId, embedded, ranked, only)

export function fuseRankings(lists: readonly (readonly Place[])[]): Place[] {
  const worth = new Map<string, { place: Place; score: number }>()
  for (const list of lists) {
    for (const [i, place] of list.entries()) {
      const key = `${place.source_id} ${place.place}`
      const known = worth.get(key) ?? { place, score: 0 }
      worth.set(key, { place, score: known.score + 1 / (damping + i + 1) })
    }
  }
  return [...worth.values()].sort((one, other) => other.score - one.score).map(({ place }) => place)
}

/** Returns the chunks at these places, in this order. Omits deleted chunks. */
async function read(db: Db, places: readonly Place[]): Promise<readonly Found[]> {
  const rows = places.map(({ source_id, place }, i) => [source_id, place, i])
  return await db.any(sql.type(FoundChunk)`
    select ${chunks.columns('c')}, s.title, s.url
    from ${sql.unnest(rows, ['uuid', 'int4', 'int4'])} as w (source_id, place, rank)
    join knowledge.chunks as c using (source_id, place) join knowledge.sources as s on s.id = c.source_id
    order by w.rank`)
}

/** Returns the first chunks of a collection up to this number of characters in total. Used if there is no question. */
export async function listFirst(db: Db, collectionId: string, characters: number): Promise<readonly Found[]> {
  return await db.any(sql.type(FoundChunk)`
    with counted as (
      select s.id, s.title, s.url, sum(s.characters) over (order by s.id) - s.characters as before
      from knowledge.sources as s where s.collection_id = ${collectionId}
    )
    select ${chunks.columns('c')}, s.title, s.url
    from counted as s join knowledge.chunks as c on c.source_id = s.id
    where s.before < ${characters} and s.before + c.start < ${characters}
    order by s.id, c.place`)
}
