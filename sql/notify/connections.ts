import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { defineTable, getColumns } from '../table.ts'

/** Channels of the chat services, and of a customer's own URL. Each is also a kind of connection. */
export const ChatChannel = z.enum(['slack', 'teams', 'discord', 'url'])

export type ChatChannel = z.infer<typeof ChatChannel>

export const isChatChannel = (channel: string): channel is ChatChannel => ChatChannel.safeParse(channel).success

export const table = defineTable(
  'notify',
  'connections',
  z.object({
    id: Id,
    org_id: Id,
    kind: ChatChannel,
    name: z.string(),
    url: z.string(),
    host: z.string(),
    secret: z.string().nullable(),
    is_default: z.boolean(),
    state: z.enum(['unverified', 'active', 'disabled']),
    reason: z.string().nullable(),
    paused_until: z.date().nullable(),
    created_at: z.date(),
    verified_at: z.date().nullable(),
    disabled_at: z.date().nullable(),
  }),
)

export type Connection = z.infer<typeof table.Row>

export const Facts = table.Row.omit({ url: true, secret: true, paused_until: true })

export type Facts = z.infer<typeof Facts>

/** Associated data of the sealed columns. Their purpose is that of webhook secrets. */
export const getSealContext = (id: string, column: 'url' | 'secret'): string => `notify connection ${id} ${column}`

type New = Pick<Connection, 'id' | 'org_id' | 'kind' | 'name' | 'url' | 'host' | 'secret' | 'is_default'>

export async function insert(tx: Db, connection: New): Promise<Facts> {
  return await tx.one(sql.type(Facts)`
    ${table.insert({ ...connection, state: 'unverified' })} returning ${getColumns(Facts)}`)
}

export async function find(db: Db, orgId: string, id: string): Promise<Facts | null> {
  return await db.maybeOne(sql.type(Facts)`
    select ${getColumns(Facts)} from notify.connections where id = ${id} and org_id = ${orgId}`)
}

/** Returns a connection of any organisation with its sealed columns. */
export async function findAny(db: Db, id: string): Promise<Connection | null> {
  return await db.maybeOne(sql.type(table.Row)`select ${table.columns()} from notify.connections where id = ${id}`)
}

export async function findMany(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, Facts>> {
  if (ids.length === 0) return new Map()
  const rows = await db.any(sql.type(Facts)`
    select ${getColumns(Facts)} from notify.connections where id = any(${sql.array([...new Set(ids)], 'uuid')})`)
  return new Map(rows.map((row) => [row.id, row]))
}

export interface Wanted {
  org_id: string
  connection_ids: readonly string[]
}

/**
 * Returns a function that finds the active connection of a kind for a person: the first of the person's own, otherwise
 * the default of the organisation.
 */
export async function findForPeople(
  db: Db,
  wanted: readonly Wanted[],
): Promise<(one: Wanted, kind: ChatChannel) => string | undefined> {
  if (wanted.length === 0) return () => undefined
  const orgIds = sql.array([...new Set(wanted.map(({ org_id }) => org_id))], 'uuid')
  const ids = sql.array([...new Set(wanted.flatMap(({ connection_ids }) => connection_ids))], 'uuid')
  const rows = await db.any(sql.type(table.Row.pick({ id: true, org_id: true, kind: true, is_default: true }))`
    select id, org_id, kind, is_default from notify.connections
    where org_id = any(${orgIds}) and state = 'active' and (is_default or id = any(${ids}))`)
  return ({ org_id, connection_ids }, kind) => {
    const fit = rows.filter((row) => row.org_id === org_id && row.kind === kind)
    const own = connection_ids.find((id) => fit.some((row) => row.id === id))
    return own ?? fit.find(({ is_default }) => is_default)?.id
  }
}

export const filters = { kind: table.equals('kind'), state: table.equals('state') }

export async function list(db: Db, orgId: string, { where, before, limit }: Page<typeof filters>) {
  return await db.any(sql.type(Facts)`
    select ${getColumns(Facts)} from notify.connections
    where org_id = ${orgId} and ${where} and ${isOlder(before)} order by id desc limit ${limit}`)
}

export async function count(db: Db, orgId: string): Promise<number> {
  return await db.oneFirst(sql.typeAlias('count')`
    select count(*) from notify.connections where org_id = ${orgId}`)
}

export async function clearDefault(tx: Db, orgId: string, kind: ChatChannel): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update notify.connections set is_default = false where org_id = ${orgId} and kind = ${kind} and is_default`)
}

export type Changes = Partial<Pick<Connection, 'name' | 'url' | 'host' | 'is_default' | 'state' | 'reason'>>

export async function update(tx: Db, orgId: string, id: string, changes: Changes): Promise<Facts | null> {
  return await tx.maybeOne(sql.type(Facts)`
    update notify.connections set ${table.set(changes)},
      disabled_at = case when ${changes.state === 'unverified'} then null else disabled_at end
    where id = ${id} and org_id = ${orgId} returning ${getColumns(Facts)}`)
}

/** A connection and the sealed URL that a request used. A result says nothing about a URL that has replaced it. */
type Used = Pick<Connection, 'id' | 'url'>

/** Stores that a message has arrived. Returns the connection if it was not verified before. */
export async function markVerified(tx: Db, { id, url }: Used): Promise<Facts | null> {
  return await tx.maybeOne(sql.type(Facts)`
    update notify.connections set state = 'active', reason = null, verified_at = now(), disabled_at = null
    where id = ${id} and url = ${url} and state <> 'active' returning ${getColumns(Facts)}`)
}

/** Stores why a test message failed. The state stays. */
export async function saveReason(db: Db, { id, url }: Used, reason: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update notify.connections set reason = ${reason} where id = ${id} and url = ${url} and state = 'unverified'`)
}

/** Disables a connection whose URL no longer exists. Returns null if it was disabled before. */
export async function disable(tx: Db, { id, url }: Used, reason: string): Promise<Facts | null> {
  return await tx.maybeOne(sql.type(Facts)`
    update notify.connections set state = 'disabled', reason = ${reason}, disabled_at = now()
    where id = ${id} and url = ${url} and state <> 'disabled' returning ${getColumns(Facts)}`)
}

export async function pause(db: Db, id: string, seconds: number): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update notify.connections set paused_until = greatest(paused_until, now() + ${seconds} * interval '1 second')
    where id = ${id}`)
}

export async function remove(tx: Db, orgId: string, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    delete from notify.connections where id = ${id} and org_id = ${orgId}`)
  return rowCount > 0
}
