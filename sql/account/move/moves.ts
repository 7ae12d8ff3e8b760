import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../../db.ts'
import { defineTable } from '../../table.ts'

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

export type State = z.infer<typeof State>

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

export type Move = z.infer<typeof table.Row>

/** Organisations locked for a move. In this cell, nothing is sent, received or run for them. */
export const held = sql.fragment`
  select org_id from account.moves where state in ('paused', 'switching', 'moved', 'incoming', 'aborting')`

export const isHeld = (db: Db, orgId: string): Promise<boolean> =>
  db.oneFirst(sql.type(z.object({ held: z.boolean() }))`select account.is_moving(${orgId}) as held`)

export async function findOpen(db: Db, orgId: string): Promise<Move | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${table.columns()} from account.moves where org_id = ${orgId}
      and state in ('copying', 'paused', 'switching', 'moved', 'incoming', 'aborting')`)
}

export async function find(db: Db, id: string): Promise<Move | null> {
  return await db.maybeOne(sql.type(table.Row)`select ${table.columns()} from account.moves where id = ${id}`)
}

export async function list(db: Db, orgId?: string): Promise<readonly Move[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from account.moves where ${orgId ?? null}::uuid is null or org_id = ${orgId ?? null}
    order by id desc limit 500`)
}

/** Starts a move in one of its cells. Does nothing if the move has already started in this cell. */
export async function begin(
  tx: Db,
  move: Pick<Move, 'id' | 'org_id' | 'cell' | 'state' | 'objects' | 'started_by'>,
): Promise<void> {
  await tx.query(sql.typeAlias('void')`${table.insert(move)} on conflict (id) do nothing`)
}

export type Progress = Partial<Pick<Move, 'pass' | 'tables' | 'error'>>

export async function note(db: Db, id: string, progress: Progress): Promise<void> {
  await db.query(sql.typeAlias('void')`update account.moves set ${table.set(progress)} where id = ${id}`)
}

const ending: readonly State[] = ['over', 'arrived', 'aborted']

export async function advance(tx: Db, id: string, from: readonly State[], to: State): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update account.moves set state = ${to},
      paused_at = ${to === 'paused' ? sql.fragment`now()` : to === 'copying' ? sql.fragment`null` : sql.fragment`paused_at`},
      ended_at = ${ending.includes(to) || to === 'moved' ? sql.fragment`now()` : sql.fragment`null`}
    where id = ${id} and state = any(${sql.array([...from], 'text')})`)
  return rowCount > 0
}

export async function endLeaving(tx: Db, orgId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update account.moves set state = 'over' where org_id = ${orgId} and state = 'moved'`)
}

/** Returns the move by which an organisation left this cell. `null` if the organisation is in this cell. */
export async function findMoved(db: Db, orgId: string): Promise<Move | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${table.columns()} from account.moves where org_id = ${orgId} and state = 'moved'`)
}
