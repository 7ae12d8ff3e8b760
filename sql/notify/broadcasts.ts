import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'
import { Channel } from './preferences.ts'

export const Audience = z.enum(['recipients', 'topic', 'all'])

export const Status = z.enum(['running', 'completed', 'cancelled', 'failed'])

/** One event for many people. */
export const table = defineTable(
  'notify',
  'broadcasts',
  z.object({
    id: Id,
    org_id: Id,
    key_id: Id.nullable(),
    sandbox: z.boolean(),
    audience: Audience,
    topic_id: Id.nullable(),
    topic: z.string().nullable(),
    product_key: z.string(),
    type: z.string(),
    title: z.string(),
    body: z.string().nullable(),
    data: z.record(z.string(), z.string()),
    url: z.string().nullable(),
    dedupe_key: z.string().nullable(),
    channels: z.array(Channel).nullable(),
    status: Status,
    reason: z.string().nullable(),
    total: z.number(),
    told: z.number(),
    refused: z.number(),
    failed: z.number(),
    last_person: Id.nullable(),
    created_at: z.date(),
    ended_at: z.date().nullable(),
  }),
  {
    retention: days('NOTIFY_INBOX_DAYS', 'created_at', {
      which: 'that have ended',
      where: sql.fragment`old.ended_at is not null`,
      // Each deletion also deletes the list of people.
      batch: 20,
    }),
  },
)

export const Broadcast = table.Row

export type Broadcast = z.infer<typeof Broadcast>

export type NewBroadcast = Omit<
  Broadcast,
  'status' | 'reason' | 'told' | 'refused' | 'failed' | 'last_person' | 'created_at' | 'ended_at'
>

export async function insert(tx: Db, { channels, ...broadcast }: NewBroadcast): Promise<Broadcast> {
  const listed = channels && (sql.array(channels, 'text') as never)
  return await tx.one(sql.type(Broadcast)`
    ${table.insert({ ...broadcast, channels: listed })} returning ${table.columns()}`)
}

export interface Visible {
  /** Only broadcasts of test keys, or only those of live keys. */
  sandbox?: boolean
  /** Only broadcasts of this key. */
  keyId?: string | undefined
}

const those = ({ sandbox, keyId }: Visible) => sql.fragment`
  ${sandbox === undefined ? sql.fragment`true` : sql.fragment`sandbox = ${sandbox}`}
  and ${keyId === undefined ? sql.fragment`true` : sql.fragment`key_id = ${keyId}`}`

export async function find(db: Db, orgId: string, id: string, visible: Visible = {}): Promise<Broadcast | null> {
  return await db.maybeOne(sql.type(Broadcast)`
    select ${table.columns()} from notify.broadcasts where org_id = ${orgId} and id = ${id} and ${those(visible)}`)
}

/** Returns a broadcast of any organisation, locked until the transaction ends. */
export async function lock(tx: Db, id: string): Promise<Broadcast | null> {
  return await tx.maybeOne(sql.type(Broadcast)`
    select ${table.columns()} from notify.broadcasts where id = ${id} for update`)
}

export const filters = { status: table.equals('status'), topic: table.equals('topic') }

export async function list(
  db: Db,
  orgId: string,
  { where, before, limit, ...visible }: Page<typeof filters> & Visible,
): Promise<readonly Broadcast[]> {
  return await db.any(sql.type(Broadcast)`
    select ${table.columns()} from notify.broadcasts
    where org_id = ${orgId} and ${where} and ${those(visible)} and ${isOlder(before)} order by id desc limit ${limit}`)
}

export async function countRunning(db: Db, orgId: string): Promise<number> {
  return await db.oneFirst(sql.typeAlias('count')`
    select count(*) from notify.broadcasts where org_id = ${orgId} and status = 'running'`)
}

export interface PageCounts {
  told: number
  refused: number
  failed: number
}

/** Adds the counts of one page. `lastPerson` is the row at which the next page starts. */
export async function advance(
  tx: Db,
  id: string,
  { told, refused, failed }: PageCounts,
  lastPerson: string | null,
): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update notify.broadcasts set told = told + ${told}, refused = refused + ${refused}, failed = failed + ${failed},
      total = greatest(total, told + refused + failed + ${told + refused + failed}), last_person = ${lastPerson}
    where id = ${id}`)
}

/** Ends a running broadcast. Returns null if it has already ended. */
export async function end(
  tx: Db,
  id: string,
  { status, reason }: Pick<Broadcast, 'status' | 'reason'>,
): Promise<Broadcast | null> {
  return await tx.maybeOne(sql.type(Broadcast)`
    update notify.broadcasts set status = ${status}, reason = ${reason}, ended_at = now(),
      total = case when ${status} = 'completed' then told + refused + failed else total end
    where id = ${id} and status = 'running' returning ${table.columns()}`)
}

/** Makes a broadcast that was given up continue. */
export async function retry(tx: Db, id: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update notify.broadcasts set status = 'running', reason = null, ended_at = null
    where id = ${id} and status = 'failed' and reason = 'given_up'`)
}
