import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../../db.ts'
import { defineTable, getColumns } from '../../table.ts'

export const table = defineTable(
  'account',
  'connections',
  z.object({
    id: Id,
    org_id: Id,
    issuer: z.string(),
    client_id: z.string(),
    client_secret: z.string(),
    domains: z.array(z.string()),
    required: z.boolean(),
    default_role: z.enum(['admin', 'developer', 'viewer']),
    /** True if an email address of a verified domain counts as verified when the provider omits `email_verified`. */
    takes_unmarked_email: z.boolean(),
    created_at: z.date(),
  }),
)

export type Connection = z.infer<typeof table.Row>

export const PublicConnection = table.Row.omit({ client_secret: true })

export const sealPurpose = 'identity providers'

/** Adds a connection with its sealed secret. Returns `null` if the issuer’s client is already connected. */
export async function insert(
  tx: Db,
  connection: Omit<Connection, 'created_at' | 'domains'> & { domains: readonly string[] },
): Promise<z.infer<typeof PublicConnection> | null> {
  const row = { ...connection, domains: sql.array([...connection.domains], 'text') }
  return await tx.maybeOne(sql.type(PublicConnection)`
    ${table.insert(row)} on conflict (org_id, issuer, client_id) do nothing returning ${getColumns(PublicConnection)}`)
}

export async function list(db: Db, orgId: string): Promise<readonly z.infer<typeof PublicConnection>[]> {
  return await db.any(sql.type(PublicConnection)`
    select ${getColumns(PublicConnection)} from account.connections where org_id = ${orgId} order by id desc`)
}

export async function setTakesUnmarkedEmail(tx: Db, orgId: string, id: string, takes: boolean): Promise<string | null> {
  return await tx.maybeOneFirst(sql.type(table.Row.pick({ issuer: true }))`
    update account.connections set takes_unmarked_email = ${takes}
    where org_id = ${orgId} and id = ${id} and takes_unmarked_email <> ${takes} returning issuer`)
}

export async function remove(tx: Db, orgId: string, id: string): Promise<string | null> {
  return await tx.maybeOneFirst(sql.type(table.Row.pick({ issuer: true }))`
    delete from account.connections where org_id = ${orgId} and id = ${id} returning issuer`)
}

export async function findAny(db: Db, id: string): Promise<Connection | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${table.columns()} from account.connections where id = ${id}`)
}

const proven = sql.fragment`exists (
  select from email.domains as d where d.org_id = c.org_id and d.domain = any(c.domains) and d.domain = `

export async function listForDomain(db: Db, domain: string): Promise<readonly Connection[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns('c')} from account.connections as c
    where ${domain} = any(c.domains) and ${proven}${domain} and d.status = 'verified' and d.verified_by = 'dns')
    order by c.id`)
}

export async function isDomainVerified(db: Db, id: string, domain: string): Promise<boolean> {
  return await db.exists(sql.unsafe`
    select from account.connections as c
    where c.id = ${id} and ${proven}${domain} and d.status = 'verified' and d.verified_by = 'dns')`)
}

/**
 * Condition on a membership `m` of a user `u`: the user can only sign in at the identity provider. Owners are exempt,
 * so that they can repair the connection.
 */
export const ssoRequired = sql.fragment`m.role <> 'owner' and exists (
  select from account.connections as c
  where c.org_id = m.org_id and c.required and split_part(u.email, '@', 2) = any(c.domains))`

export const identityTable = defineTable(
  'account',
  'identities',
  z.object({ connection_id: Id, issuer: z.string(), subject: z.string(), user_id: Id, created_at: z.date() }),
)

export async function findUserId(db: Db, connectionId: string, subject: string): Promise<string | null> {
  return await db.maybeOneFirst(sql.type(identityTable.Row.pick({ user_id: true }))`
    select user_id from account.identities where connection_id = ${connectionId} and subject = ${subject}`)
}

export async function identify(
  tx: Db,
  identity: { connection_id: string; issuer: string; subject: string; user_id: string },
): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`${identityTable.insert(identity)} on conflict do nothing`)
  return rowCount === 1
}

export async function findOfUser(db: Db, orgId: string, userId: string): Promise<Connection | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${table.columns('c')} from account.connections as c
    join account.identities as i on i.connection_id = c.id
    where c.org_id = ${orgId} and i.user_id = ${userId} order by c.id limit 1`)
}
