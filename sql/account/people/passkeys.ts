import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../../db.ts'
import { defineTable } from '../../table.ts'

export const table = defineTable(
  'account',
  'passkeys',
  z.object({
    id: Id,
    user_id: Id,
    credential_id: z.string(),
    public_key: z.string(),
    counter: z.number(),
    transports: z.array(z.string()),
    backed_up: z.boolean(),
    rp_id: z.string(),
    name: z.string(),
    created_at: z.date(),
    last_used_at: z.date().nullable(),
  }),
)

export type Passkey = z.infer<typeof table.Row>

export async function insert(
  tx: Db,
  passkey: Omit<Passkey, 'id' | 'created_at' | 'last_used_at' | 'transports'> & { transports: readonly string[] },
): Promise<boolean> {
  const row = { ...passkey, id: newId(), transports: sql.array([...passkey.transports], 'text') }
  const { rowCount } = await tx.query(sql.typeAlias('void')`${table.insert(row)} on conflict do nothing`)
  return rowCount === 1
}

export async function list(db: Db, userId: string): Promise<readonly Passkey[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from account.passkeys where user_id = ${userId} order by id desc`)
}

/** Returns a passkey and locks its row, so that responses of the same authenticator are checked one after another. */
export async function lockByCredential(tx: Db, credentialId: string): Promise<Passkey | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    select ${table.columns()} from account.passkeys where credential_id = ${credentialId} for update`)
}

export async function use(
  tx: Db,
  id: string,
  { counter, backedUp }: { counter: number; backedUp: boolean },
): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update account.passkeys set counter = ${counter}, backed_up = ${backedUp}, last_used_at = now() where id = ${id}`)
}

export async function remove(tx: Db, userId: string, id: string): Promise<string | null> {
  return await tx.maybeOneFirst(sql.type(table.Row.pick({ name: true }))`
    delete from account.passkeys where user_id = ${userId} and id = ${id} returning name`)
}

/** Serialises changes of a user’s passkeys until the transaction ends. */
export async function lockUser(tx: Db, userId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`select from account.users where id = ${userId} for no key update`)
}
