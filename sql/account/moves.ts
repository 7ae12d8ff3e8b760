import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

/** States of a move in the cell that is left, and in the other one. */
export const State = z.enum([
  'copying',
  'paused',
  'switching',
  'moved',
  'over',
  'incoming',
  'aborting',
  'arrived',
  'aborted',
])

/** A state of a move. */
export type State = z.infer<typeof State>

/** Moves of organisations to and from other cells: the same, by its id, in both. */
export const table = defineTable(
  'account',
  'moves',
  z.object({
    id: Id,
    org_id: Id,
    cell: z.string(),
    state: State,
    pass: z.number(),
    tables: z.record(z.string(), z.number()),
    objects: z.enum(['shared', 'copied']).nullable(),
    error: z.string().nullable(),
    started_by: z.string(),
    started_at: z.date(),
    paused_at: z.date().nullable(),
    ended_at: z.date().nullable(),
  }),
)

/** A move as one of its cells knows it. */
export type Move = z.infer<typeof table.Row>

/** Organisations that are held because they move: nothing of them goes out, comes in or runs in this cell. */
export const held = sql.fragment`
  select org_id from account.moves where state in ('paused', 'switching', 'moved', 'incoming', 'aborting')`

/** Whether an organisation is held because it moves. */
export const isHeld = (db: Db, orgId: string): Promise<boolean> =>
  db.oneFirst(sql.type(z.object({ held: z.boolean() }))`select account.is_moving(${orgId}) as held`)

/** The move of an organisation that is not over here, if there is one. */
export async function findOpen(db: Db, orgId: string): Promise<Move | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${table.columns()} from account.moves where org_id = ${orgId}
      and state in ('copying', 'paused', 'switching', 'moved', 'incoming', 'aborting')`)
}

/** A move by its id. */
export async function find(db: Db, id: string): Promise<Move | null> {
  return await db.maybeOne(sql.type(table.Row)`select ${table.columns()} from account.moves where id = ${id}`)
}

/** Moves of an organisation, or of all, the latest first. */
export async function list(db: Db, orgId?: string): Promise<readonly Move[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from account.moves where ${orgId ?? null}::uuid is null or org_id = ${orgId ?? null}
    order by id desc limit 500`)
}

/** Begins a move in one of its cells; nothing where it has begun there. */
export async function begin(
  tx: Db,
  move: Pick<Move, 'id' | 'org_id' | 'cell' | 'state' | 'objects' | 'started_by'>,
): Promise<void> {
  await tx.query(sql.typeAlias('void')`${table.insert(move)} on conflict (id) do nothing`)
}

/** What is noted of a move as it goes on. */
export type Progress = Partial<Pick<Move, 'pass' | 'tables' | 'error'>>

/** Notes how far a move is. */
export async function note(db: Db, id: string, progress: Progress): Promise<void> {
  await db.query(sql.typeAlias('void')`update account.moves set ${table.set(progress)} where id = ${id}`)
}

const ending: readonly State[] = ['over', 'arrived', 'aborted']

/** Takes a move from one of some states to another; false when it is in none of them, and is left as it is. */
export async function advance(tx: Db, id: string, from: readonly State[], to: State): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update account.moves set state = ${to},
      paused_at = ${to === 'paused' ? sql.fragment`now()` : to === 'copying' ? sql.fragment`null` : sql.fragment`paused_at`},
      ended_at = ${ending.includes(to) || to === 'moved' ? sql.fragment`now()` : sql.fragment`null`}
    where id = ${id} and state = any(${sql.array([...from], 'text')})`)
  return rowCount > 0
}

/** Ends the earlier move by which an organisation that comes back had left. */
export async function endLeaving(tx: Db, orgId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update account.moves set state = 'over' where org_id = ${orgId} and state = 'moved'`)
}

/** The move by which an organisation has left; null for one that is here. */
export async function findMoved(db: Db, orgId: string): Promise<Move | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${table.columns()} from account.moves where org_id = ${orgId} and state = 'moved'`)
}
