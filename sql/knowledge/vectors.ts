import type { FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { table as chunks } from './chunks.ts'
import { table as sources } from './sources.ts'

export interface Embedded {
  model: string
  vector: Float32Array
}

const Bytes = z.instanceof(Uint8Array)

const Candidate = chunks.Row.pick({ source_id: true, place: true }).extend({ vector: Bytes })

/**
 * Number of chunks that are compared exactly. They are selected by the fewest different signs. In a smaller collection,
 * all chunks are compared.
 */
const compared = 400

/**
 * Maximum number of vectors of a collection whose signs are compared, starting with its newest sources. They use 50 MB
 * if a vector has 8,192 numbers.
 */
const looked = 50_000

export async function nearest(
  db: Db,
  collectionId: string,
  { model, vector }: Embedded,
  most: number,
  only?: FragmentSqlToken,
): Promise<{ source_id: string; place: number }[]> {
  const asked = unit(vector)
  const signs = signsOf(asked)
  const candidates = await db.any(sql.type(Candidate)`
    with wanted as materialized (select ${only ?? sql.fragment`null::uuid[]`} as ids), known as materialized (
      select v.source_id, v.place, v.signs
      from wanted as w cross join knowledge.sources as s cross join lateral (
        select source_id, place, signs from knowledge.vectors
        where source_id = s.id and model = ${model} and bit_length(signs) = ${signs.length} offset 0
      ) as v
      where s.collection_id = ${collectionId} and (w.ids is null or w.ids[width_bucket(s.id, w.ids)] = s.id)
      order by s.id desc limit ${looked}
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

type Unembedded = z.infer<typeof Unembedded>

export async function findUnembedded(db: Db, id: string, model: string): Promise<Unembedded | null> {
  return await db.maybeOne(sql.type(Unembedded)`
    select id, org_id, revision, title from knowledge.sources where id = ${id} and model is distinct from ${model}`)
}

const Text = chunks.Row.pick({ place: true, headings: true, text: true })

/** Returns chunks of a source without a vector of the model, starting at a place. */
export async function listUnembeddedTexts(
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

/**
 * Stores vectors of chunks. Returns false without storing anything if the text of the source has changed or was
 * deleted.
 */
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
