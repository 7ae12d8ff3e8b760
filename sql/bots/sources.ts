import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import type { Part } from '../filters.ts'
import { defineTable } from '../table.ts'

export const SourceError = z.object({ code: z.string(), message: z.string() })

/** Files and URLs that bots quote from. The text of a source is the document with the same ID. */
export const table = defineTable(
  'bots',
  'sources',
  z.object({
    id: Id,
    bot_id: Id,
    title: z.string().nullable(),
    url: z.string().nullable(),
    object_id: Id.nullable(),
    refresh_hours: z.number().nullable(),
    status: z.enum(['pending', 'ready', 'failed']),
    try: z.number(),
    error: SourceError.nullable(),
    content_type: z.string().nullable(),
    cut: z.boolean(),
    etag: z.string().nullable(),
    last_modified: z.string().nullable(),
    requested_at: z.date(),
    checked_at: z.date().nullable(),
    changed_at: z.date().nullable(),
    refresh_at: z.date().nullable(),
    created_at: z.date(),
  }),
)

const WithText = table.Row.extend({ characters: z.number().nullable() })

export type Source = z.infer<typeof WithText>

const withText = sql.fragment`${table.columns('s')},
  (select d.characters from bots.documents as d where d.id = s.id) as characters`

export type SourceRead = Pick<Source, 'id' | 'try'>

export async function insert(
  tx: Db,
  source: Pick<Source, 'id' | 'bot_id' | 'title' | 'url' | 'object_id' | 'refresh_hours'>,
): Promise<Source> {
  return await tx.one(sql.type(WithText)`
    with s as (${table.insert(source)} returning *) select ${withText} from s`)
}

export async function find(db: Db, botId: string, id: string): Promise<Source | null> {
  return await db.maybeOne(sql.type(WithText)`
    select ${withText} from bots.sources as s where s.id = ${id} and s.bot_id = ${botId}`)
}

export async function list(db: Db, botId: string, { before, limit }: Part): Promise<readonly Source[]> {
  return await db.any(sql.type(WithText)`
    select ${withText} from bots.sources as s
    where s.bot_id = ${botId} and (${before ?? null}::uuid is null or s.id < ${before ?? null})
    order by s.id desc limit ${limit}`)
}

export async function setRefresh(db: Db, botId: string, id: string, hours: number | null): Promise<Source | null> {
  return await db.maybeOne(sql.type(WithText)`
    update bots.sources as s set refresh_hours = ${hours},
      refresh_at = coalesce(s.checked_at, now()) + make_interval(hours => ${hours}::int)
    where s.id = ${id} and s.bot_id = ${botId} returning ${withText}`)
}

/** Requests a read of a source. Returns `null` if a read is already pending. */
export async function request(tx: Db, botId: string, id: string): Promise<SourceRead | null> {
  return await tx.maybeOne(sql.type(table.Row.pick({ id: true, try: true }))`
    update bots.sources set status = 'pending', try = try + 1, requested_at = now()
    where id = ${id} and bot_id = ${botId} and status <> 'pending' returning id, try`)
}

const Due = table.Row.pick({ id: true, try: true }).extend({ org_id: Id })

export async function requestDue(tx: Db, limit: number): Promise<readonly z.infer<typeof Due>[]> {
  return await tx.any(sql.type(Due)`
    update bots.sources as s set status = 'pending', try = s.try + 1, requested_at = now()
    from bots.bots as b
    where b.id = s.bot_id and s.id = any(array(
      select id from bots.sources where refresh_at <= now() and refresh_at is not null and status <> 'pending'
      order by refresh_at limit ${limit} for update skip locked))
    returning s.id, s.try, b.org_id`)
}

const Pending = WithText.extend({ org_id: Id })

export type Pending = z.infer<typeof Pending>

/** Returns a pending read. `null` if it has ended or the source was deleted. */
export async function findPending(db: Db, { id, try: nth }: SourceRead): Promise<Pending | null> {
  return await db.maybeOne(sql.type(Pending)`
    select ${withText}, b.org_id from bots.sources as s join bots.bots as b on b.id = s.bot_id
    where s.id = ${id} and s.try = ${nth} and s.status = 'pending'`)
}

export type Facts = Pick<Source, 'content_type' | 'cut' | 'etag' | 'last_modified'>

const next = sql.fragment`checked_at = now(), refresh_at = now() + make_interval(hours => refresh_hours)`

/** Ends a read. Returns false and writes nothing if another read replaced it. */
export async function end(tx: Db, { id, try: nth }: SourceRead, facts: Facts): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update bots.sources set status = 'ready', error = null, ${table.set(facts)}, ${next}
    where id = ${id} and try = ${nth} and status = 'pending'`)
  return rowCount === 1
}

export async function markChanged(tx: Db, id: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`update bots.sources set changed_at = now() where id = ${id}`)
}

export async function fail(db: Db, { id, try: nth }: SourceRead, error: z.infer<typeof SourceError>): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update bots.sources set status = 'failed', error = ${JSON.stringify(error)}::jsonb, ${next}
    where id = ${id} and try = ${nth} and status = 'pending'`)
}

export async function remove(tx: Db, botId: string, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    delete from bots.sources where id = ${id} and bot_id = ${botId}`)
  await tx.query(sql.typeAlias('void')`delete from bots.documents where id = ${id} and bot_id = ${botId}`)
  return rowCount === 1
}
