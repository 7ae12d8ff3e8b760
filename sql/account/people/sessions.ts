import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { hashSecret, makeSecret } from '#lib/tokens.ts'
import { type Db, sql } from '../../db.ts'
import { hours } from '../../retention.ts'
import { defineTable } from '../../table.ts'

export const table = defineTable(
  'account',
  'sessions',
  z.object({
    id: Id,
    hash: z.string(),
    key_id: Id,
    created_at: z.date(),
    expires_at: z.date(),
    told: z.string().nullable(),
  }),
  { retention: hours(0, 'expires_at') },
)

export const Session = z.object({
  id: Id,
  key_id: Id,
  key_name: z.string(),
  expires_at: z.date(),
  /** Flash message for the next web page. */
  told: z.string().nullable(),
})

export type Session = z.infer<typeof Session>

export async function begin(db: Db, keyId: string, hours: number): Promise<string> {
  const secret = makeSecret()
  await db.query(sql.typeAlias('void')`
    insert into account.sessions (id, hash, key_id, expires_at)
    values (${newId()}, ${hashSecret(secret)}, ${keyId}, now() + ${hours} * interval '1 hour')`)
  return secret
}

const good = sql.fragment`
  k.revoked_at is null and (k.expires_at is null or k.expires_at > now()) and s.expires_at > now()`

/**
 * Returns the session of a secret. `null` if the session has ended, or if its key was revoked, has expired or no longer
 * has `scope`.
 */
export async function find(db: Db, secret: string, scope: string): Promise<Session | null> {
  return await db.maybeOne(sql.type(Session)`
    select s.id, s.key_id, k.name as key_name, s.expires_at, s.told
    from account.sessions as s join account.keys as k on k.id = s.key_id
    where s.hash = ${hashSecret(secret)} and ${good} and ${scope} = any (k.scopes)`)
}

export async function listActive(db: Db, ids: readonly string[], scope: string): Promise<readonly string[]> {
  return await db.anyFirst(sql.type(z.object({ id: Id }))`
    select s.id from account.sessions as s join account.keys as k on k.id = s.key_id
    where s.id = any (${sql.array([...ids], 'uuid')}) and ${good} and ${scope} = any (k.scopes)`)
}

export async function tell(db: Db, id: string, told: string | null): Promise<void> {
  await db.query(sql.typeAlias('void')`update account.sessions set told = ${told} where id = ${id}`)
}

export async function end(db: Db, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`delete from account.sessions where id = ${id}`)
}
