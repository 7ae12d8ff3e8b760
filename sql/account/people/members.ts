import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../../db.ts'
import { defineTable } from '../../table.ts'
import * as closures from '../closures.ts'
import * as connections from './connections.ts'

export const Role = z.enum(['owner', 'admin', 'developer', 'viewer'])

export type Role = z.infer<typeof Role>

export const table = defineTable(
  'account',
  'members',
  z.object({
    org_id: Id,
    user_id: Id,
    role: Role,
    invited_by: Id.nullable(),
    created_at: z.date(),
  }),
)

export const Member = table.Row.pick({ user_id: true, role: true, created_at: true }).extend({
  email: z.string(),
  name: z.string(),
  disabled_at: z.date().nullable(),
  seen_at: z.date().nullable(),
  passkeys: z.number(),
})

export type Member = z.infer<typeof Member>

const members = sql.fragment`
  select m.user_id, m.role, m.created_at, u.email, u.name, u.disabled_at,
    (select max(s.seen_at) from account.browser_sessions as s where s.org_id = m.org_id and s.user_id = m.user_id) as seen_at,
    (select count(*) from account.passkeys as p where p.user_id = m.user_id) as passkeys
  from account.members as m join account.users as u on u.id = m.user_id`

export async function list(
  db: Db,
  orgId: string,
  { limit, before }: { limit: number; before: string | undefined },
): Promise<readonly Member[]> {
  return await db.any(sql.type(Member)`
    ${members}
    where m.org_id = ${orgId} and (${before ?? null}::uuid is null or m.user_id < ${before ?? null}::uuid)
    order by m.user_id desc limit ${limit}`)
}

export async function find(db: Db, orgId: string, userId: string): Promise<Member | null> {
  return await db.maybeOne(sql.type(Member)`${members} where m.org_id = ${orgId} and m.user_id = ${userId}`)
}

export async function hasEmail(db: Db, orgId: string, email: string): Promise<boolean> {
  return await db.exists(sql.unsafe`
    select from account.members as m join account.users as u on u.id = m.user_id
    where m.org_id = ${orgId} and u.email = ${email}`)
}

const Membership = table.Row.pick({ org_id: true, role: true }).extend({
  org_name: z.string(),
  /**
   * True if the member can only sign in at the identity provider. Owners are exempt, so that they can repair the
   * connection.
   */
  sso_required: z.boolean(),
})

export type Membership = z.infer<typeof Membership>

/**
 * Returns the organisations that an enabled user can open. The organisation of the last sign-in is first, then the
 * oldest. Closed organisations are open only to owners, until deletion starts.
 */
export async function listOf(db: Db, userId: string): Promise<readonly Membership[]> {
  return await db.any(sql.prepared('account.memberships', Membership)`
    select m.org_id, m.role, o.name as org_name,
      ${connections.ssoRequired} as sso_required
    from account.members as m
    join account.orgs as o on o.id = m.org_id join account.users as u on u.id = m.user_id
    left join lateral (
      select max(authenticated_at) as at from account.browser_sessions as s
      where s.org_id = m.org_id and s.user_id = m.user_id) as last on true
    where m.user_id = ${userId} and u.disabled_at is null and ${closures.openToMember('m')}
    order by last.at desc nulls last, m.created_at, m.org_id`)
}

/**
 * Serialises changes of members until the transaction ends. The lock on the organisation does not block foreign keys.
 */
export async function lock(tx: Db, orgId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`select from account.orgs where id = ${orgId} for no key update`)
}

export async function countOwners(tx: Db, orgId: string): Promise<number> {
  return await tx.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*) from account.members as m join account.users as u on u.id = m.user_id
    where m.org_id = ${orgId} and m.role = 'owner' and u.disabled_at is null`)
}

/** Returns email addresses of up to 100 owners who can sign in, longest membership first. */
export async function ownersOf(db: Db, orgId: string): Promise<readonly string[]> {
  return await db.anyFirst(sql.type(z.object({ email: z.string() }))`
    select u.email from account.members as m join account.users as u on u.id = m.user_id
    where m.org_id = ${orgId} and m.role = 'owner' and u.disabled_at is null
    order by m.created_at, m.user_id limit 100`)
}

/** Adds a member. Returns false if the user is already a member. An existing member keeps their role. */
export async function insert(
  tx: Db,
  member: { org_id: string; user_id: string; role: Role; invited_by: string | null },
): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`${table.insert(member)} on conflict do nothing`)
  return rowCount === 1
}

export async function setRole(tx: Db, orgId: string, userId: string, role: Role): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update account.members set role = ${role} where org_id = ${orgId} and user_id = ${userId}`)
}

export async function remove(tx: Db, orgId: string, userId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    delete from account.members where org_id = ${orgId} and user_id = ${userId}`)
}

const RoleCount = z.object({ role: Role, count: z.number() })

export async function countByRole(db: Db, orgId: string): Promise<readonly z.infer<typeof RoleCount>[]> {
  return await db.any(sql.type(RoleCount)`
    select role, count(*) as count from account.members where org_id = ${orgId} group by role`)
}
