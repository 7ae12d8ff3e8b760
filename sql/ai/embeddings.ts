import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'ai',
  'embeddings',
  z.object({
    org_id: Id,
    model: z.string(),
    dimensions: z.number(),
    digest: z.instanceof(Buffer),
    vector: z.instanceof(Buffer),
    used_at: z.date(),
  }),
  { retention: days('AI_EMBEDDINGS_DAYS', 'used_at') },
)

/** Organisation, model and dimensions of vectors. 0 means the model’s default dimensions. */
export interface EmbeddingKey {
  orgId: string
  model: string
  dimensions: number
}

const Found = z.object({ digest: z.string(), vector: z.instanceof(Buffer), stale: z.boolean() })

const ofShelf = ({ orgId, model, dimensions }: EmbeddingKey) =>
  sql.fragment`org_id = ${orgId} and model = ${model} and dimensions = ${dimensions}`

const digestsOf = (digests: readonly string[]) =>
  sql.fragment`select decode(digest, 'hex') from ${sql.unnest(
    digests.map((digest) => [digest]),
    ['text'],
  )} as d (digest)`

export async function find(db: Db, shelf: EmbeddingKey, digests: readonly string[]): Promise<Map<string, Buffer>> {
  if (digests.length === 0) return new Map()
  const found = await db.any(sql.type(Found)`
    select encode(digest, 'hex') as digest, vector, used_at < now() - interval '1 day' as stale
    from ai.embeddings where ${ofShelf(shelf)} and digest in (${digestsOf(digests)})`)
  const stale = found.filter((row) => row.stale).map((row) => row.digest)
  if (stale.length > 0) await use(db, shelf, stale)
  return new Map(found.map(({ digest, vector }) => [digest, vector]))
}

/** Updates the time of the last use. Locks rows in a fixed order to prevent deadlocks. */
async function use(db: Db, shelf: EmbeddingKey, digests: readonly string[]): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update ai.embeddings set used_at = now() where ctid = any(array(
      select ctid from ai.embeddings where ${ofShelf(shelf)} and digest in (${digestsOf(digests)})
      order by digest for update skip locked))`)
}

export async function add(db: Db, shelf: EmbeddingKey, vectors: ReadonlyMap<string, Buffer>): Promise<void> {
  const { orgId, model, dimensions } = shelf
  const rows = [...vectors]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([digest, vector]) => [digest, vector.toString('hex')])
  await db.query(sql.typeAlias('void')`
    insert into ai.embeddings (org_id, model, dimensions, digest, vector)
    select ${orgId}::uuid, ${model}::text, ${dimensions}::int, decode(digest, 'hex'), decode(vector, 'hex')
    from ${sql.unnest(rows, ['text', 'text'])} as v (digest, vector)
    on conflict (org_id, model, dimensions, digest) do update set used_at = now()`)
}

const Over = z.object({ org_id: Id, over: z.number() })

export async function listOverLimit(db: Db, most: number): Promise<readonly z.infer<typeof Over>[]> {
  return await db.any(sql.type(Over)`
    select org_id, count(*) - ${most} as over from ai.embeddings group by org_id having count(*) > ${most}`)
}

export async function removeOldest(db: Db, orgId: string, count: number): Promise<number> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    delete from ai.embeddings where ctid = any(array(
      select ctid from ai.embeddings where org_id = ${orgId} order by used_at limit ${count} for update skip locked))`)
  return rowCount
}
