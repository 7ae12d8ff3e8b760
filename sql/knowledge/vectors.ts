import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { table as chunks } from './chunks.ts'
import { table as sources } from './sources.ts'

/** A text as a model has placed it. */
export interface Embedded {
  model: string
  vector: Float32Array
}

const Bytes = z.instanceof(Uint8Array)

const Candidate = chunks.Row.pick({ source_id: true, place: true }).extend({ vector: Bytes })

/** Chunks that are compared exactly: those whose signs differ least. All of a collection that has no more. */
const compared = 400

/** Vectors of a collection whose signs are looked at, those of its newest sources: 50 MB of them, where a vector has 8,192 numbers. */
const looked = 50_000

/** The chunks of a collection whose vectors are nearest to a question's, nearest first. */
export async function nearest(
  db: Db,
  collectionId: string,
  { model, vector }: Embedded,
  most: number,
): Promise<{ source_id: string; place: number }[]> {
  const asked = unit(vector)
  const signs = signsOf(asked)
  const candidates = await db.any(sql.type(Candidate)`
    with known as materialized (
      select v.source_id, v.place, v.signs
      from knowledge.sources as s cross join lateral (
        select source_id, place, signs from knowledge.vectors
        where source_id = s.id and model = ${model} and bit_length(signs) = ${signs.length} offset 0
      ) as v
      where s.collection_id = ${collectionId} order by s.id desc limit ${looked}
    ), near as materialized (
      select source_id, place from known order by bit_count(signs # ${signs}::varbit), source_id, place limit ${compared}
    )
    select v.source_id, v.place, v.vector from near join knowledge.vectors as v using (source_id, place)`)
  return candidates
    .map(({ vector: bytes, ...place }) => ({ place, likeness: product(asked, bytes) }))
    .sort((one, other) => other.likeness - one.likeness)
    .slice(0, most)
    .map(({ place }) => place)
}

/** A vector of length 1 in the direction of another. */
function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector) || 1
  return vector.map((value) => value / length)
}

const signsOf = (vector: Float32Array) => Array.from(vector, (value) => (value > 0 ? '1' : '0')).join('')

function product(asked: Float32Array, bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let sum = 0
  for (let i = 0; i < asked.length; i++) sum += (asked[i] ?? 0) * view.getFloat32(i * 4, true)
  return sum
}

function bytesOf(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(vector.length * 4)
  for (const [i, value] of vector.entries()) bytes.writeFloatLE(value, i * 4)
  return bytes
}

const Unembedded = sources.Row.pick({ id: true, org_id: true, revision: true, title: true })

/** A source whose chunks have no vectors of a model yet, or not all. */
type Unembedded = z.infer<typeof Unembedded>

/** Sources that lack the vectors of a model. */
export async function findLacking(db: Db, model: string, limit: number): Promise<readonly Lacking[]> {
  return await db.any(sql.type(Lacking)`
    (select id, org_id from knowledge.sources where model is null order by id limit ${limit})
    union all
    (select id, org_id from knowledge.sources where model < ${model} order by model, id limit ${limit})
    union all
    (select id, org_id from knowledge.sources where model > ${model} order by model, id limit ${limit})
    limit ${limit}`)
}

const Lacking = sources.Row.pick({ id: true, org_id: true })

/** A source that lacks vectors, and whose it is. */
type Lacking = z.infer<typeof Lacking>

/** A source, if it lacks the vectors of a model. */
export async function lacking(db: Db, id: string, model: string): Promise<Unembedded | null> {
  return await db.maybeOne(sql.type(Unembedded)`
    select id, org_id, revision, title from knowledge.sources where id = ${id} and model is distinct from ${model}`)
}

const Text = chunks.Row.pick({ place: true, headings: true, text: true })

/** Chunks of a source from a place on that have no vector of a model. */
export async function textsFrom(
  db: Db,
  { id }: Pick<Unembedded, 'id'>,
  model: string,
  place: number,
  limit: number,
): Promise<readonly z.infer<typeof Text>[]> {
  return await db.any(sql.type(Text)`
    select c.place, c.headings, c.text from knowledge.chunks as c
    where c.source_id = ${id} and c.place >= ${place} and not exists (
      select from knowledge.vectors as v where v.source_id = c.source_id and v.place = c.place and v.model = ${model})
    order by c.place limit ${limit}`)
}

/** Writes vectors of chunks; false, and nothing written, when their source has another text by now, or is gone. */
export async function put(
  db: Db,
  { id, revision }: Unembedded,
  model: string,
  vectors: readonly { place: number; vector: Float32Array }[],
): Promise<boolean> {
  return await db.transaction(async (tx) => {
    if (!(await lock(tx, id, revision))) return false
    const rows = vectors.map(({ place, vector }) => {
      const of = unit(vector)
      return [id, place, model, signsOf(of), bytesOf(of)]
    })
    await tx.query(sql.typeAlias('void')`
      insert into knowledge.vectors (source_id, place, model, signs, vector)
      select source_id, place, model, signs::varbit, vector
      from ${sql.unnest(rows, ['uuid', 'int4', 'text', 'text', 'bytea'])} as x (source_id, place, model, signs, vector)
      on conflict (source_id, place) do update
        set model = excluded.model, signs = excluded.signs, vector = excluded.vector`)
    return true
  })
}

/** Locks a source, if its text is still the same. */
async function lock(tx: Db, id: string, revision: string): Promise<boolean> {
  const locked = await tx.maybeOne(sql.type(sources.Row.pick({ id: true }))`
    select id from knowledge.sources where id = ${id} and revision = ${revision} for no key update`)
  return locked !== null
}

/** Says that all chunks of a source have a model's vectors. */
export async function finish(db: Db, { id, revision }: Unembedded, model: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update knowledge.sources set model = ${model} where id = ${id} and revision = ${revision}`)
}
