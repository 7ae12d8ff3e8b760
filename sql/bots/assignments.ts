import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Part } from '../filters.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'bots',
  'assignments',
  z.object({
    id: Id,
    org_id: Id,
    conversation_id: Id,
    assignee_id: Id.nullable(),
    by_kind: z.enum(['member', 'key', 'system']),
    by_id: Id.nullable(),
    reason: z.enum(['assigned', 'replied', 'removed', 'role_changed']),
    created_at: z.date(),
  }),
)

export type Assignment = z.infer<typeof table.Row>

export async function insert(tx: Db, assignment: Omit<Assignment, 'created_at'>): Promise<void> {
  await tx.query(sql.typeAlias('void')`${table.insert(assignment)}`)
}

const Listed = table.Row.extend({ assignee_name: z.string().nullable(), by_name: z.string().nullable() })

export type Listed = z.infer<typeof Listed>

const nameOf = (column: 'assignee_id' | 'by_id') => sql.fragment`
  (select coalesce(nullif(u.name, ''), u.email) from account.users as u where u.id = a.${sql.identifier([column])})`

/** Returns the assignments of a conversation, newest first. Names are `null` for keys and deleted users. */
export async function list(
  db: Db,
  { orgId, conversationId }: { orgId: string; conversationId: string },
  { before, limit }: Part,
): Promise<readonly Listed[]> {
  return await db.any(sql.type(Listed)`
    select ${table.columns('a')}, ${nameOf('assignee_id')} as assignee_name, ${nameOf('by_id')} as by_name
    from bots.assignments as a
    where a.conversation_id = ${conversationId} and a.org_id = ${orgId} and ${isOlder(before, ['a', 'id'])}
    order by a.id desc limit ${limit}`)
}

/** Returns the member who had the conversation last. Null if it was never assigned. */
export async function findLast(db: Db, conversationId: string): Promise<string | null> {
  return await db.maybeOneFirst(sql.type(z.object({ assignee_id: Id }))`
    select assignee_id from bots.assignments
    where conversation_id = ${conversationId} and assignee_id is not null order by id desc limit 1`)
}

const Assignable = z.object({ user_id: Id, name: z.string(), email: z.string() })

export type Assignable = z.infer<typeof Assignable>

const assignable = sql.fragment`
  select m.user_id, coalesce(nullif(u.name, ''), u.email) as name, u.email
  from account.members as m join account.users as u on u.id = m.user_id
  where m.role <> 'viewer' and u.disabled_at is null`

/**
 * Returns a member to whom a conversation can be assigned. The member can be removed only after the transaction. Returns
 * `null` for viewers, disabled users and other organisations.
 */
export async function lockAssignable(tx: Db, orgId: string, userId: string): Promise<Assignable | null> {
  return await tx.maybeOne(sql.type(Assignable)`
    ${assignable} and m.org_id = ${orgId} and m.user_id = ${userId} for share of m`)
}

/** Returns up to `limit` members to whom conversations can be assigned, by name. */
export async function listAssignable(db: Db, orgId: string, limit: number): Promise<readonly Assignable[]> {
  return await db.any(sql.type(Assignable)`
    ${assignable} and m.org_id = ${orgId} order by name, m.user_id limit ${limit}`)
}

/** Returns the name of a user who is or was a member. Null if the user has no name: visitors must not see the email. */
export async function findName(db: Db, userId: string): Promise<string | null> {
  return await db.maybeOneFirst(sql.type(z.object({ name: z.string().nullable() }))`
    select nullif(name, '') as name from account.users where id = ${userId}`)
}

const Mail = z.object({
  org_id: Id,
  conversation_id: Id,
  email: z.string(),
  org_name: z.string(),
  bot_name: z.string(),
  by_name: z.string().nullable(),
})

/** Returns what an email to the assignee contains. Null if the conversation is no longer assigned to them. */
export async function findMail(db: Db, id: string): Promise<z.infer<typeof Mail> | null> {
  return await db.maybeOne(sql.type(Mail)`
    select a.org_id, a.conversation_id, u.email, o.name as org_name, b.name as bot_name, ${nameOf('by_id')} as by_name
    from bots.assignments as a join bots.handovers as h on h.conversation_id = a.conversation_id
    join bots.bots as b on b.id = h.bot_id join account.orgs as o on o.id = a.org_id
    join account.users as u on u.id = a.assignee_id and u.disabled_at is null
    where a.id = ${id} and h.assignee_id = a.assignee_id`)
}
