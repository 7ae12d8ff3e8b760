import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { hashSecret, makeSecret, randomText } from '#lib/tokens.ts'
import { type Db, sql } from '../../db.ts'
import { days } from '../../retention.ts'
import { defineTable, getColumns } from '../../table.ts'
import { Role } from './members.ts'

export const table = defineTable(
  'account',
  'invitations',
  z.object({
    id: Id,
    org_id: Id,
    email: z.string(),
    role: Role,
    hash: z.string(),
    invited_by: Id.nullable(),
    /**
     * The key that created the invitation. The invitation ends when this key ends. `null` if a member created the
     * invitation or an owner confirmed it.
     */
    made_by_key: Id.nullable(),
    created_at: z.date(),
    sent_at: z.date().nullable(),
    expires_at: z.date(),
    accepted_at: z.date().nullable(),
    revoked_at: z.date().nullable(),
  }),
  { retention: days(90, 'expires_at') },
)

export const Invitation = table.Row.omit({ hash: true })

export type Invitation = z.infer<typeof Invitation>

const columns = getColumns(Invitation)

const pending = sql.fragment`accepted_at is null and revoked_at is null`

/**
 * Creates an invitation for an email address. Returns `null` if the address already has a pending invitation of the
 * organisation. `token` is the only copy.
 */
export async function insert(
  tx: Db,
  invitation: Pick<Invitation, 'org_id' | 'email' | 'role' | 'invited_by' | 'made_by_key'> & { hours: number },
): Promise<(Invitation & { token: string }) | null> {
  const { hours, ...row } = invitation
  const token = makeSecret()
  await tx.query(sql.typeAlias('void')`
    update account.invitations set revoked_at = now()
    where org_id = ${row.org_id} and email = ${row.email} and ${pending} and expires_at <= now()`)
  const expires_at = sql.fragment`now() + ${hours} * interval '1 hour'`
  const made = await tx.maybeOne(sql.type(Invitation)`
    ${table.insert({ ...row, id: newId(), hash: hashSecret(token), expires_at })} on conflict do nothing returning ${columns}`)
  return made && { ...made, token }
}

export async function listPending(
  db: Db,
  orgId: string,
  { limit, before }: { limit: number; before: string | undefined },
): Promise<readonly Invitation[]> {
  return await db.any(sql.type(Invitation)`
    select ${columns} from account.invitations
    where org_id = ${orgId} and ${pending} and (${before ?? null}::uuid is null or id < ${before ?? null}::uuid)
    order by id desc limit ${limit}`)
}

export async function countPending(db: Db, orgId: string): Promise<number> {
  return await db.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*) from account.invitations where org_id = ${orgId} and ${pending} and expires_at > now()`)
}

/** Returns a pending invitation and locks its row. */
export async function lock(tx: Db, orgId: string, id: string): Promise<Invitation | null> {
  return await tx.maybeOne(sql.type(Invitation)`
    select ${columns} from account.invitations where org_id = ${orgId} and id = ${id} and ${pending} for update`)
}

export async function findByToken(db: Db, token: string): Promise<(Invitation & { org_name: string }) | null> {
  return await db.maybeOne(sql.type(Invitation.extend({ org_name: z.string() }))`
    select ${getColumns(Invitation, 'i')}, o.name as org_name
    from account.invitations as i join account.orgs as o on o.id = i.org_id where i.hash = ${hashSecret(token)}`)
}

export async function accept(tx: Db, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update account.invitations set accepted_at = now() where id = ${id} and ${pending} and expires_at > now()`)
  return rowCount === 1
}

export async function revoke(tx: Db, orgId: string, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update account.invitations set revoked_at = now() where org_id = ${orgId} and id = ${id} and ${pending}`)
  return rowCount === 1
}

export async function revokeBy(
  tx: Db,
  orgId: string,
  userId: string,
  kept: readonly Role[],
): Promise<readonly Invitation[]> {
  return await tx.any(sql.type(Invitation)`
    update account.invitations set revoked_at = now()
    where org_id = ${orgId} and invited_by = ${userId} and ${pending} and not role = any(${sql.array([...kept], 'text')})
    returning ${columns}`)
}

export async function revokeByKeys(tx: Db, orgId: string, keyIds: readonly string[]): Promise<readonly Invitation[]> {
  return await tx.any(sql.type(Invitation)`
    update account.invitations set revoked_at = now()
    where org_id = ${orgId} and made_by_key = any(${sql.array([...keyIds], 'uuid')}) and ${pending} returning ${columns}`)
}

/** Makes an invitation independent of the key that created it. */
export async function confirm(tx: Db, id: string, userId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update account.invitations set made_by_key = null, invited_by = ${userId} where id = ${id}`)
}

const Waiting = Invitation.extend({ org_name: z.string(), inviter: z.string().nullable() })

export async function lockUnsent(tx: Db, id: string): Promise<z.infer<typeof Waiting> | null> {
  return await tx.maybeOne(sql.type(Waiting)`
    select ${getColumns(Invitation, 'i')}, o.name as org_name, coalesce(nullif(u.name, ''), u.email) as inviter
    from account.invitations as i join account.orgs as o on o.id = i.org_id
    left join account.users as u on u.id = i.invited_by
    where i.id = ${id} and ${pending} and i.sent_at is null and i.expires_at > now() for update of i`)
}

/** Marks an invitation to be sent and sets its expiry to `hours` from now. Previous links become invalid. */
export async function reopen(tx: Db, id: string, hours: number): Promise<Invitation> {
  return await tx.one(sql.type(Invitation)`
    update account.invitations
    set hash = ${hashSecret(randomText())}, sent_at = null, expires_at = now() + ${hours} * interval '1 hour'
    where id = ${id} returning ${columns}`)
}

export async function send(tx: Db, id: string): Promise<string> {
  const token = makeSecret()
  await tx.query(sql.typeAlias('void')`
    update account.invitations set hash = ${hashSecret(token)}, sent_at = now() where id = ${id}`)
  return token
}
