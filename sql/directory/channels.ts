import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { isOpen } from '../account/closures.ts'
import { type Db, sql } from '../db.ts'
import { columnsOf, defineTable } from '../table.ts'

/** Channels: what videos are found under. All of them are public. */
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

/** A channel with how much of it is listed. */
export const Channel = table.Row.extend({
  videos: z.number(),
  shorts: z.number(),
  last_published_at: z.date().nullable(),
  is_live: z.boolean(),
})

/** The parsed row. */
export type Channel = z.infer<typeof Channel>

const columns = table.columns()

/** Channels of a query `c`, with what is counted of each. */
const counted = (from: ReturnType<typeof sql.fragment>) => sql.type(Channel)`
  with c as (${from})
  select ${columnsOf(table.Row, 'c')}, n.videos, n.shorts, n.last_published_at,
    exists (select from directory.live_streams as l where l.channel_id = c.id and l.listed and l.status = 'live') as is_live
  from c cross join lateral (
    select count(*) filter (where v.kind = 'video') as videos, count(*) filter (where v.kind = 'short') as shorts,
      max(v.published_at) as last_published_at
    from directory.videos as v where v.channel_id = c.id and v.listed
  ) as n
  order by c.id desc`

/** Adds a channel; null when its handle is taken. */
export async function insert(
  db: Db,
  { links, ...channel }: Pick<Channel, 'id' | 'org_id' | 'handle' | 'name' | 'description' | 'language' | 'links'>,
): Promise<Channel | null> {
  return await db.maybeOne(
    counted(sql.fragment`${table.insert({ ...channel, links: sql.array(links, 'text') })}
      on conflict (handle) do nothing returning ${columns}`),
  )
}

/** The channel with that handle, whosever it is. */
export async function findByHandle(db: Db, handle: string): Promise<Channel | null> {
  return await db.maybeOne(
    counted(sql.fragment`select ${columns} from directory.channels where handle = ${handle} and ${isOpen('channels')}`),
  )
}

/** The id of the channel with that handle, whosever it is. */
export async function identify(db: Db, handle: string): Promise<string | null> {
  return await db.maybeOneFirst(sql.type(table.Row.pick({ id: true }))`
    select id from directory.channels where handle = ${handle} and ${isOpen('channels')}`)
}

/** The id of an organisation's channel, which is not deleted before the transaction ends. */
export async function hold(tx: Db, orgId: string, handle: string): Promise<string | null> {
  return await tx.maybeOneFirst(sql.type(table.Row.pick({ id: true }))`
    select id from directory.channels where handle = ${handle} and org_id = ${orgId} for key share`)
}

/** Some channels, in no order. */
export async function findMany(db: Db, ids: readonly string[]): Promise<readonly Channel[]> {
  return await db.any(
    counted(
      sql.fragment`select ${columns} from directory.channels where id = any(${sql.array([...ids], 'uuid')}) and ${isOpen('channels')}`,
    ),
  )
}

/** Channels, newest first; of an organisation or a language, if one is given. */
export async function list(
  db: Db,
  { orgId, language }: { orgId: string | undefined; language: string | undefined },
  { before, limit }: { before: string | undefined; limit: number },
): Promise<readonly Channel[]> {
  const conditions = [
    isOpen('channels'),
    ...(orgId ? [sql.fragment`org_id = ${orgId}`] : []),
    ...(language ? [sql.fragment`language = ${language}`] : []),
    ...(before ? [sql.fragment`id < ${before}`] : []),
  ]
  return await db.any(
    counted(sql.fragment`select ${columns} from directory.channels
      where ${sql.join(conditions, sql.fragment` and `)} order by id desc limit ${limit}`),
  )
}

/** What can be changed of a channel: its handle stays, as links lead to it. */
export type Changes = { [Field in 'name' | 'description' | 'language' | 'links']?: Channel[Field] | undefined }

/** Changes a channel; null when the organisation has no such channel. */
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

/** Deletes a channel; its videos stay, without one. False when the organisation has no such channel. */
export async function remove(db: Db, orgId: string, handle: string): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    delete from directory.channels where handle = ${handle} and org_id = ${orgId}`)
  return rowCount === 1
}

const Named = table.Row.pick({ id: true, handle: true })

/** Handles of channels by falling id, without what is counted of them. */
export async function handles(
  db: Db,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<readonly z.infer<typeof Named>[]> {
  return await db.any(sql.type(Named)`
    select id, handle from directory.channels ${before ? sql.fragment`where id < ${before}` : sql.fragment``}
    order by id desc limit ${limit}`)
}
