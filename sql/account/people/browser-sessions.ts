import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { hashSecret, makeSecret } from '#lib/tokens.ts'
import { type Db, sql } from '../../db.ts'
import { hours } from '../../retention.ts'
import { defineTable, getColumns } from '../../table.ts'
import * as closures from '../closures.ts'
import * as connections from './connections.ts'
import { Role } from './members.ts'

export const [sessionHours, idleMinutes] = [12, 30]

export const table = defineTable(
  'account',
  'browser_sessions',
  z.object({
    id: Id,
    hash: z.string(),
    user_id: Id,
    org_id: Id,
    method: z.enum(['invitation', 'mail', 'passkey', 'oidc']),
    created_at: z.date(),
    authenticated_at: z.date(),
    stepped_up_at: z.date().nullable(),
    seen_at: z.date(),
    idle_until: z.date(),
    expires_at: z.date(),
    network: z.string(),
    agent: z.string(),
    told: z.string().nullable(),
  }),
  { retention: hours(0, 'expires_at') },
)

export type Method = z.infer<typeof table.Row>['method']

const Session = table.Row.pick({
  id: true,
  user_id: true,
  org_id: true,
  method: true,
  stepped_up_at: true,
  idle_until: true,
  expires_at: true,
  told: true,
}).extend({
  email: z.string(),
  name: z.string(),
  org_name: z.string(),
  role: Role,
  closing: z.boolean(),
  moving: z.boolean(),
})

export type Session = z.infer<typeof Session>

const good = sql.fragment`
  s.expires_at > now() and s.idle_until > now() and u.disabled_at is null and ${closures.openToMember('m')}`

const tables = sql.fragment`account.browser_sessions as s
  join account.users as u on u.id = s.user_id
  join account.members as m on m.org_id = s.org_id and m.user_id = s.user_id
  join account.orgs as o on o.id = s.org_id`

const columns = sql.fragment`${getColumns(Session.pick({ id: true, user_id: true, org_id: true, method: true }), 's')},
  s.stepped_up_at, s.idle_until, s.expires_at, s.told, u.email, u.name, o.name as org_name, m.role,
  account.is_closing(o.id) as closing, account.is_moving(o.id) as moving`

export async function begin(
  tx: Db,
  session: { userId: string; orgId: string; method: Method; steppedUp: boolean; network: string; agent: string },
): Promise<string> {
  const secret = makeSecret()
  const row = {
    id: newId(),
    hash: hashSecret(secret),
    user_id: session.userId,
    org_id: session.orgId,
    method: session.method,
    authenticated_at: sql.fragment`now()`,
    stepped_up_at: session.steppedUp ? sql.fragment`now()` : null,
    idle_until: sql.fragment`now() + ${idleMinutes} * interval '1 minute'`,
    expires_at: sql.fragment`now() + ${sessionHours} * interval '1 hour'`,
    network: session.network,
    agent: session.agent,
  }
  await tx.query(sql.typeAlias('void')`${table.insert(row)}`)
  return secret
}

/**
 * Returns the session of a secret. `null` if the session or membership has ended, or the organisation is closed to the
 * member. Each page of the dashboard reads it. Planning was 0.8 of its 0.9 ms, so it is prepared.
 */
export async function find(db: Db, secret: string): Promise<Session | null> {
  return await db.maybeOne(sql.prepared('account.browser_session', Session)`
    select ${columns} from ${tables} where s.hash = ${hashSecret(secret)} and ${good}`)
}

const End = table.Row.pick({ idle_until: true })

/** Records the use of a session, at most once per minute. Returns the new idle expiry. */
export async function recordUse(db: Db, id: string): Promise<Date | null> {
  return await db.maybeOneFirst(sql.type(End)`
    update account.browser_sessions
    set seen_at = now(), idle_until = least(expires_at, now() + ${idleMinutes} * interval '1 minute')
    where id = ${id} and seen_at < now() - interval '1 minute' and idle_until > now()
    returning idle_until`)
}

export async function listActive(db: Db, ids: readonly string[]): Promise<readonly string[]> {
  return await db.anyFirst(sql.type(z.object({ id: Id }))`
    select s.id from ${tables} where s.id = any (${sql.array([...ids], 'uuid')}) and ${good}`)
}

/** Locks an active session and returns its organisation. `null` if the session or the membership has ended. */
export async function lockOrganisation(tx: Db, id: string): Promise<string | null> {
  return await tx.maybeOneFirst(sql.type(z.object({ org_id: Id }))`
    select s.org_id from ${tables} where s.id = ${id} and ${good} for update of s`)
}

/**
 * Replaces the secret of a session, and optionally its confirmation or organisation. The previous secret becomes
 * invalid.
 */
export async function renew(
  tx: Db,
  id: string,
  { steppedUp = false, orgId }: { steppedUp?: boolean; orgId?: string } = {},
): Promise<string> {
  const secret = makeSecret()
  await tx.query(sql.typeAlias('void')`
    update account.browser_sessions
    set hash = ${hashSecret(secret)}, org_id = coalesce(${orgId ?? null}::uuid, org_id),
      stepped_up_at = case when ${steppedUp} then now() when ${orgId ?? null}::uuid is null then stepped_up_at end
    where id = ${id}`)
  return secret
}

export async function tell(db: Db, id: string, told: string | null): Promise<void> {
  await db.query(sql.typeAlias('void')`update account.browser_sessions set told = ${told} where id = ${id}`)
}

const ofOrg = (column: string, orgId: string | null) =>
  sql.fragment`(${orgId}::uuid is null or ${sql.identifier(column.split('.'))} = ${orgId}::uuid)`

const Listed = table.Row.pick({
  id: true,
  method: true,
  authenticated_at: true,
  seen_at: true,
  expires_at: true,
  network: true,
  agent: true,
}).extend({ org_name: z.string() })

/** Returns the active sessions of a user, last used first. `orgId` limits them to one organisation. */
export async function listOf(
  db: Db,
  userId: string,
  orgId: string | null = null,
): Promise<readonly z.infer<typeof Listed>[]> {
  return await db.any(sql.type(Listed)`
    select s.id, s.method, s.authenticated_at, s.seen_at, s.expires_at, s.network, s.agent, o.name as org_name
    from ${tables} where s.user_id = ${userId} and ${ofOrg('s.org_id', orgId)} and ${good} order by s.seen_at desc, s.id desc limit 100`)
}

/** Ends one session of a user, optionally only if it belongs to `orgId`. Returns false if no such session exists. */
export async function end(tx: Db, userId: string, id: string, orgId: string | null = null): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    delete from account.browser_sessions where id = ${id} and user_id = ${userId} and ${ofOrg('org_id', orgId)}`)
  return rowCount === 1
}

/** Ends all other sessions of a user, optionally only of `orgId`. Returns their number. */
export async function endOthers(tx: Db, userId: string, keep: string, orgId: string | null = null): Promise<number> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    delete from account.browser_sessions where user_id = ${userId} and id <> ${keep} and ${ofOrg('org_id', orgId)}`)
  return rowCount
}

/** Ends the sessions of members who must use the identity provider, except sessions that started there. */
export async function endSessionsWithoutProvider(tx: Db, orgId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    delete from account.browser_sessions as s using account.members as m, account.users as u
    where s.org_id = ${orgId} and s.method <> 'oidc' and m.org_id = s.org_id and m.user_id = s.user_id and u.id = s.user_id
      and ${connections.ssoRequired}`)
}

export async function endMember(tx: Db, orgId: string, userId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    delete from account.browser_sessions where org_id = ${orgId} and user_id = ${userId}`)
}

export async function endAllButOwners(tx: Db, orgId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    delete from account.browser_sessions as s using account.members as m
    where s.org_id = ${orgId} and m.org_id = s.org_id and m.user_id = s.user_id and m.role <> 'owner'`)
}
