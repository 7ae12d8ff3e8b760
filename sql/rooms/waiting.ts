import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { lease } from '../jobs/lease.ts'
import { defineTable, getColumns } from '../table.ts'
import { Role } from './participants.ts'

export const table = defineTable(
  'rooms',
  'waiting',
  z.object({
    room_id: Id,
    waiting_id: Id,
    identity: z.string(),
    display_name: z.string(),
    role: Role,
    token_id: Id,
    worker_id: Id,
    connection_id: Id,
    state: z.enum(['waiting', 'admitted', 'refused']),
    since: z.date(),
    gone_at: z.date().nullable(),
  }),
)

export type Waiting = z.infer<typeof table.Row>

export const maxWaiting = 200

const columns = table.columns()

/** Selects only people whose worker has the room. If the worker died, no one waits. */
const present = sql.fragment`${getColumns(table.Row, 'w')}
  from rooms.waiting as w
    join rooms.sessions as s on s.room_id = w.room_id and s.worker_id = w.worker_id
  where w.gone_at is null and w.state = 'waiting' and ${lease(sql.fragment`s.worker_id`)}`

/** Adds a person who waits, or updates the row. An existing decision on the token is kept. */
export async function wait(tx: Db, waiting: Omit<Waiting, 'state' | 'since' | 'gone_at'>): Promise<Waiting> {
  return await tx.one(sql.type(table.Row)`
    ${table.insert(waiting)}
    on conflict (room_id, token_id) do update set worker_id = excluded.worker_id,
      connection_id = excluded.connection_id, gone_at = null
    returning ${columns}`)
}

export async function isAdmitted(tx: Db, roomId: string, tokenId: string): Promise<boolean> {
  return await tx.exists(sql.type(z.object({ token_id: Id }))`
    select token_id from rooms.waiting
    where room_id = ${roomId} and token_id = ${tokenId} and state = 'admitted'`)
}

export async function countOthers(tx: Db, roomId: string, tokenId: string): Promise<number> {
  return await tx.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*)::integer as count from rooms.waiting
    where room_id = ${roomId} and gone_at is null and token_id <> ${tokenId}`)
}

export async function listPresent(db: Db, roomId: string): Promise<readonly Waiting[]> {
  return await db.any(sql.type(table.Row)`
    select ${present} and w.room_id = ${roomId} order by w.since, w.waiting_id limit ${maxWaiting}`)
}

export async function lockPresent(tx: Db, orgId: string, roomId: string, waitingId: string): Promise<Waiting | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    select ${present} and w.room_id = ${roomId} and w.waiting_id = ${waitingId}
      and exists (select from rooms.rooms as r where r.id = w.room_id and r.org_id = ${orgId} and r.ended_at is null)
    for no key update of w`)
}

/**
 * Admits or rejects a person once. Invalidates the token of a rejected person. Returns false if a decision already
 * exists, or if the person has left.
 */
export async function decide(
  tx: Db,
  { room_id, waiting_id, token_id }: Pick<Waiting, 'room_id' | 'waiting_id' | 'token_id'>,
  decision: 'admitted' | 'refused',
): Promise<boolean> {
  const decided = await tx.query(sql.typeAlias('void')`
    update rooms.waiting set state = ${decision}
    where room_id = ${room_id} and waiting_id = ${waiting_id} and state = 'waiting' and gone_at is null`)
  if (decided.rowCount === 0) return false
  if (decision === 'refused')
    await tx.query(sql.typeAlias('void')`
      insert into rooms.dead_tokens (room_id, token_id) values (${room_id}, ${token_id}) on conflict do nothing`)
  return true
}

export async function leave(db: Db, connectionId: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update rooms.waiting set gone_at = clock_timestamp() where connection_id = ${connectionId} and gone_at is null`)
}

export const WaitingState = table.Row.pick({ room_id: true, waiting_id: true, connection_id: true, state: true })

export async function listStates(
  db: Db,
  workerId: string,
  roomIds: readonly string[],
): Promise<readonly z.infer<typeof WaitingState>[]> {
  return await db.any(sql.type(WaitingState)`
    select ${getColumns(WaitingState)} from rooms.waiting
    where worker_id = ${workerId} and gone_at is null and room_id = any(${sql.array([...roomIds], 'uuid')})`)
}
