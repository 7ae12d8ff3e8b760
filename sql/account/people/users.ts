import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../../db.ts'
import { defineTable } from '../../table.ts'

export const table = defineTable(
  'account',
  'users',
  z.object({
    id: Id,
    email: z.string(),
    email_verified_at: z.date().nullable(),
    name: z.string(),
    created_at: z.date(),
    disabled_at: z.date().nullable(),
    known_places: z.array(z.string()),
  }),
)

export type User = z.infer<typeof table.Row>

export async function find(db: Db, id: string): Promise<User | null> {
  return await db.maybeOne(sql.type(table.Row)`select ${table.columns()} from account.users where id = ${id}`)
}

export async function findByEmail(db: Db, email: string): Promise<User | null> {
  return await db.maybeOne(sql.type(table.Row)`select ${table.columns()} from account.users where email = ${email}`)
}

export async function insert(
  tx: Db,
  { verified, ...user }: { email: string; name: string; verified: boolean },
): Promise<User | null> {
  const row = { ...user, id: newId(), email_verified_at: verified ? sql.fragment`now()` : null }
  return await tx.maybeOne(sql.type(table.Row)`
    ${table.insert(row)} on conflict (email) do nothing returning ${table.columns()}`)
}

export async function verify(tx: Db, id: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update account.users set email_verified_at = now() where id = ${id} and email_verified_at is null`)
}

export async function rename(tx: Db, id: string, name: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`update account.users set name = ${name} where id = ${id}`)
}

/** Deletes those of the given users who have no organisation and no invitation. Returns the number of deleted users. */
export async function removeOutsiders(tx: Db, ids: readonly string[]): Promise<number> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    delete from account.users as u
    where id = any(${sql.array([...ids], 'uuid')}) and not exists (select from account.members where user_id = u.id)
      and not exists (select from account.invitations as i
        where i.email = u.email and i.accepted_at is null and i.revoked_at is null and i.expires_at > now())`)
  return rowCount
}
