import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { isOpen } from '../account/closures.ts'
import { type Db, sql } from '../db.ts'
import { everything, isOlder, type Page, type Part } from '../filters.ts'
import { defineTable, getColumns } from '../table.ts'

export const table = defineTable(
  'directory',
  'channels',
  z.object({
    id: Id,
    org_id: Id,
    handle: z.string(),
    name: z.string(),
    description: z.string(),
    language: z.string().nullable(),
    links: z.array(z.string()),
    created_at: z.date(),
    updated_at: z.date(),
  }),
)

export const Channel = table.Row.extend({
  videos: z.number(),
  shorts: z.number(),
  last_published_at: z.date().nullable(),
  is_live: z.boolean(),
})

export type Channel = z.infer<typeof Channel>

const columns = table.columns()

/** Selects the channels of a query `c` with their counts. */
const counted = (from: ReturnType<typeof sql.fragment>) => sql.type(Channel)`
  with c as (${from})
  select ${getColumns(table.Row, 'c')}, n.videos, n.shorts, n.last_published_at,
    exists (select from directory.live_streams as l where l.channel_id = c.id and l.listed and l.status = 'live') as is_live
  from c cross join lateral (
    select count(*) filter (where v.kind = 'video') as videos, count(*) filter (where v.kind = 'short') as shorts,
      max(v.published_at) as last_published_at
    from directory.videos as v where v.channel_id = c.id and v.listed
  ) as n
  order by c.id desc`

/** Inserts a channel. Returns `null` if the handle already exists. */
export async function insert(
  db: Db,
  { links, ...channel }: Pick<Channel, 'id' | 'org_id' | 'handle' | 'name' | 'description' | 'language' | 'links'>,
): Promise<Channel | null> {
  return await db.maybeOne(
    counted(sql.fragment`${table.insert({ ...channel, links: sql.array(links, 'text') })}
      on conflict (handle) do nothing returning ${columns}`),
  )
}

/** Returns the channel with this handle, of any organisation. */
export async function findByHandle(db: Db, handle: string): Promise<Channel | null> {
  return await db.maybeOne(
    counted(sql.fragment`select ${columns} from directory.channels where handle = ${handle} and ${isOpen('channels')}`),
  )
}

/** Returns the ID of the channel with this handle, of any organisation. */
export async function findIdByHandle(db: Db, handle: string): Promise<string | null> {
  return await db.maybeOneFirst(sql.type(table.Row.pick({ id: true }))`
    select id from directory.channels where handle = ${handle} and ${isOpen('channels')}`)
}

/** Returns the ID of an organisation’s channel and locks it against deletion until the transaction ends. */
export async function lockOwn(tx: Db, orgId: string, handle: string): Promise<string | null> {
  return await tx.maybeOneFirst(sql.type(table.Row.pick({ id: true }))`
    select id from directory.channels where handle = ${handle} and org_id = ${orgId} for key share`)
}

export async function findMany(db: Db, ids: readonly string[]): Promise<readonly Channel[]> {
  return await db.any(
    counted(
      sql.fragment`select ${columns} from directory.channels where id = any(${sql.array([...ids], 'uuid')}) and ${isOpen('channels')}`,
    ),
  )
}

/** Lists channels, newest first, optionally of one organisation or language. */
export const filters = { language: table.equals('language') }

/** Lists channels, of one organisation if `orgId` is given. */
export async function list(
  db: Db,
  orgId: string | undefined,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly Channel[]> {
  return await db.any(
    counted(sql.fragment`select ${columns} from directory.channels
      where ${isOpen('channels')} and ${orgId ? sql.fragment`org_id = ${orgId}` : everything} and ${where}
        and ${isOlder(before)}
      order by id desc limit ${limit}`),
  )
}

/** Fields that can be changed. The handle cannot be changed, because links contain it. */
export type Changes = { [Field in 'name' | 'description' | 'language' | 'links']?: Channel[Field] | undefined }

/** Updates a channel. Returns `null` if the organisation does not have it. */
export async function update(
  db: Db,
  orgId: string,
  handle: string,
  { links, ...changes }: Changes,
): Promise<Channel | null> {
  const set = table.set({ ...changes, links: links && sql.array(links, 'text'), updated_at: sql.fragment`now()` })
  return await db.maybeOne(
    counted(sql.fragment`update directory.channels set ${set}
      where handle = ${handle} and org_id = ${orgId} returning ${columns}`),
  )
}

/** Deletes a channel. Its videos stay, without a channel. Returns false if the organisation does not have it. */
export async function remove(db: Db, orgId: string, handle: string): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    delete from directory.channels where handle = ${handle} and org_id = ${orgId}`)
  return rowCount === 1
}

const Named = table.Row.pick({ id: true, handle: true })

export async function listHandles(db: Db, { before, limit }: Part): Promise<readonly z.infer<typeof Named>[]> {
  return await db.any(sql.type(Named)`
    select id, handle from directory.channels ${before ? sql.fragment`where id < ${before}` : sql.fragment``}
    order by id desc limit ${limit}`)
}
