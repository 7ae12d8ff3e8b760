import type { FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { table as chunks } from './chunks.ts'
import type { Place } from './fuse.ts'
import { table as sources } from './sources.ts'
import { bytesOf, product, signsOf, toUnit } from './vector-bytes.ts'

export interface Embedded {
  model: string
  vector: Float32Array
}

/** A chunk that is near to a question by its vector. */
export interface Near extends Place {
  /** Cosine of the angle between the vectors, from -1 to 1. */
  likeness: number
  /** Nearest sentences of the chunk, best first. Empty if the vector is of the whole chunk. */
  sentences: readonly NearSentence[]
}

/** A sentence of a chunk, in UTF-16 units. */
export interface NearSentence {
  start: number
  end: number
  likeness: number
}

/** Maximum number of sentences per chunk. Answers quote up to three. */
const mostSentences = 3

const Candidate = chunks.Row.pick({ source_id: true, place: true }).extend({
  start: z.number(),
  length: z.number().nullable(),
  vector: z.instanceof(Uint8Array),
})

/**
 * Number of vectors that are compared exactly. They are selected by the fewest different signs. In a smaller
 * collection, all vectors are compared.
 */
const compared = 400

/**
 * Maximum number of vectors of a collection whose signs are compared, starting with its newest sources. They use 50 MB
 * if a vector has 8,192 numbers.
 */
const looked = 50_000

/** Returns the chunks with the most similar vectors, best first. The most similar sentence counts for its chunk. */
export async function nearest(
  db: Db,
  collectionId: string,
  { model, vector }: Embedded,
  most: number,
  only?: FragmentSqlToken,
): Promise<readonly Near[]> {
  const asked = toUnit(vector)
  const signs = signsOf(asked)
  const candidates = await db.any(sql.type(Candidate)`
    with wanted as materialized (select ${only ?? sql.fragment`null::uuid[]`} as ids), known as materialized (
      select v.source_id, v.place, v.start, v.signs
      from wanted as w cross join knowledge.sources as s cross join lateral (
        select source_id, place, start, signs from knowledge.vectors
        where source_id = s.id and model = ${model} and bit_length(signs) = ${signs.length} offset 0
      ) as v
      where s.collection_id = ${collectionId} and (w.ids is null or w.ids[width_bucket(s.id, w.ids)] = s.id)
      order by s.id desc limit ${looked}
    ), near as materialized (
      select source_id, place, start from known
      order by bit_count(signs # ${signs}::varbit), source_id, place, start limit ${compared}
    )
    select v.source_id, v.place, v.start, v.length, v.vector
    from near join knowledge.vectors as v using (source_id, place, start)`)
  const found = new Map<string, Near & { sentences: NearSentence[] }>()
  for (const { source_id, place, start, length, vector: bytes } of candidates) {
    const likeness = product(asked, bytes)
    const key = `${source_id} ${place}`
    const chunk = found.get(key) ?? { source_id, place, likeness, sentences: [] }
    chunk.likeness = Math.max(chunk.likeness, likeness)
    if (length !== null) chunk.sentences.push({ start, end: start + length, likeness })
    found.set(key, chunk)
  }
  return [...found.values()]
    .map((chunk) => ({ ...chunk, sentences: chunk.sentences.sort(byLikeness).slice(0, mostSentences) }))
    .sort(byLikeness)
    .slice(0, most)
}

const byLikeness = (one: { likeness: number }, other: { likeness: number }) => other.likeness - one.likeness

const Unembedded = sources.Row.pick({ id: true, org_id: true, revision: true, title: true })

export type Unembedded = z.infer<typeof Unembedded>

export async function findUnembedded(db: Db, id: string, model: string): Promise<Unembedded | null> {
  return await db.maybeOne(sql.type(Unembedded)`
    select id, org_id, revision, title from knowledge.sources where id = ${id} and model is distinct from ${model}`)
}

const Text = chunks.Row.pick({ place: true, headings: true, text: true })

export type Text = z.infer<typeof Text>

/** Returns chunks of a source without a vector of the model, starting at a place. */
export async function listUnembeddedTexts(
  db: Db,
  { id }: Pick<Unembedded, 'id'>,
  model: string,
  place: number,
  limit: number,
): Promise<readonly Text[]> {
  return await db.any(sql.type(Text)`
    select c.place, c.headings, c.text from knowledge.chunks as c
    where c.source_id = ${id} and c.place >= ${place} and not exists (
      select from knowledge.vectors as v where v.source_id = c.source_id and v.place = c.place and v.model = ${model})
    order by c.place limit ${limit}`)
}

/** The vectors of a chunk: one of the whole chunk, or one per sentence. */
export interface ChunkVectors {
  place: number
  whole?: Float32Array
  sentences?: readonly { start: number; length: number; vector: Float32Array }[]
}

/**
 * Stores vectors of chunks in place of their previous vectors. Returns false without storing anything if the text of
 * the source has changed or was deleted.
 */
export async function put(
  db: Db,
  { id, revision }: Unembedded,
  model: string,
  vectors: readonly ChunkVectors[],
): Promise<boolean> {
  return await db.transaction(async (tx) => {
    if (!(await lock(tx, id, revision))) return false
    const rows = vectors.flatMap((chunk) => rowsOf(chunk).map((row) => [id, model, ...row]))
    const places = sql.array(
      vectors.map(({ place }) => place),
      'int4',
    )
    await tx.query(sql.typeAlias('void')`
      delete from knowledge.vectors where source_id = ${id} and place = any (${places})`)
    await tx.query(sql.typeAlias('void')`
      insert into knowledge.vectors (source_id, model, place, start, length, signs, vector)
      select source_id, model, place, start, length, signs::varbit, vector
      from ${sql.unnest(rows, ['uuid', 'text', 'int4', 'int4', 'int4', 'text', 'bytea'])}
        as x (source_id, model, place, start, length, signs, vector)`)
    return true
  })
}

function rowsOf({ place, whole, sentences = [] }: ChunkVectors): [number, number, number | null, string, Buffer][] {
  const rowOf = (vector: Float32Array, start: number, length: number | null) => {
    const unit = toUnit(vector)
    const row: [number, number, number | null, string, Buffer] = [
      place,
      start,
      length,
      signsOf(unit),
      bytesOf(unit, length !== null),
    ]
    return row
  }
  return [
    ...(whole ? [rowOf(whole, 0, null)] : []),
    ...sentences.map(({ start, length, vector }) => rowOf(vector, start, length)),
  ]
}

/** Locks a source. Returns false if its text has changed. */
async function lock(tx: Db, id: string, revision: string): Promise<boolean> {
  const locked = await tx.maybeOne(sql.type(sources.Row.pick({ id: true }))`
    select id from knowledge.sources where id = ${id} and revision = ${revision} for no key update`)
  return locked !== null
}

export async function markEmbedded(db: Db, { id, revision }: Unembedded, model: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update knowledge.sources set model = ${model} where id = ${id} and revision = ${revision}`)
}
