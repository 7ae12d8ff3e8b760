import { z } from 'zod'
import { firstIdAt, Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'bots',
  'ratings',
  z.object({
    conversation_id: Id,
    id: Id,
    org_id: Id,
    bot_id: Id,
    assignee_id: Id.nullable(),
    score: z.number(),
    comment: z.string().nullable(),
    created_at: z.date(),
    updated_at: z.date(),
  }),
)

export type Rating = z.infer<typeof table.Row>

const columns = table.columns()

export async function insert(tx: Db, rating: Omit<Rating, 'created_at' | 'updated_at'>): Promise<Rating> {
  return await tx.one(sql.type(table.Row)`${table.insert(rating)} returning ${columns}`)
}

export async function find(db: Db, orgId: string, conversationId: string): Promise<Rating | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from bots.ratings where conversation_id = ${conversationId} and org_id = ${orgId}`)
}

export async function update(
  tx: Db,
  conversationId: string,
  { score, comment }: Pick<Rating, 'score' | 'comment'>,
): Promise<Rating> {
  return await tx.one(sql.type(table.Row)`
    update bots.ratings set score = ${score}, comment = ${comment}, updated_at = now()
    where conversation_id = ${conversationId} returning ${columns}`)
}

export const filters = {
  bot_id: table.equals('bot_id'),
  assignee_id: (id: string) => (id === 'none' ? sql.fragment`assignee_id is null` : sql.fragment`assignee_id = ${id}`),
  score: table.equals('score'),
  since: (at: string) => sql.fragment`id >= ${firstIdAt(new Date(at))}`,
  until: (at: string) => sql.fragment`id < ${firstIdAt(new Date(at))}`,
}

export async function list(
  db: Db,
  orgId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly Rating[]> {
  return await db.any(sql.type(table.Row)`
    select ${columns} from bots.ratings where org_id = ${orgId} and ${where} and ${isOlder(before)}
    order by id desc limit ${limit}`)
}
