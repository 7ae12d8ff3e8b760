import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { hashSecret, makeSecret } from '#lib/tokens.ts'
import { advisoryLockSpaces } from '../../advisory-locks.ts'
import { type Db, sql } from '../../db.ts'
import { hours } from '../../retention.ts'
import { defineTable } from '../../table.ts'

export const ceremonyMinutes = 10

export const maxTries = 5

/** Started sign-ins and confirmations. Kept for a day to count the requests for an email address. */
export const table = defineTable(
  'account',
  'ceremonies',
  z.object({
    id: Id,
    kind: z.enum(['mail', 'mail_step_up', 'sign_in', 'register', 'step_up', 'oidc', 'oidc_step_up']),
    browser_hash: z.string(),
    user_id: Id.nullable(),
    session_id: Id.nullable(),
    email: z.string().nullable(),
    challenge: z.string().nullable(),
    code_hash: z.string().nullable(),
    link_hash: z.string().nullable(),
    details: z.record(z.string(), z.string()),
    tries: z.number(),
    created_at: z.date(),
    expires_at: z.date(),
    used_at: z.date().nullable(),
  }),
  { retention: hours(24, 'expires_at') },
)

export type Ceremony = z.infer<typeof table.Row>

export type Kind = Ceremony['kind']

export async function begin(
  tx: Db,
  ceremony: Pick<Ceremony, 'kind'> &
    Partial<Pick<Ceremony, 'user_id' | 'session_id' | 'email' | 'challenge' | 'details'>>,
): Promise<{ id: string; secret: string }> {
  const [id, secret] = [newId(), makeSecret()]
  const expires_at = sql.fragment`now() + ${ceremonyMinutes} * interval '1 minute'`
  await tx.query(sql.typeAlias('void')`
    ${table.insert({ ...ceremony, id, browser_hash: hashSecret(secret), expires_at })}`)
  return { id, secret }
}

const open = sql.fragment`used_at is null and expires_at > now()`

/** Marks the ceremony of a browser as used and returns it. `null` if no ceremony is open. */
export async function take(tx: Db, kind: Kind, secret: string): Promise<Ceremony | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    update account.ceremonies set used_at = now()
    where browser_hash = ${hashSecret(secret)} and kind = ${kind} and ${open} returning ${table.columns()}`)
}

/** Counts one attempt to enter the code, and locks the row. `null` if no ceremony exists or no attempt is left. */
export async function countTry(tx: Db, kind: 'mail' | 'mail_step_up', secret: string): Promise<Ceremony | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    update account.ceremonies set tries = tries + 1
    where browser_hash = ${hashSecret(secret)} and kind = ${kind} and ${open} and tries < ${maxTries}
    returning ${table.columns()}`)
}

/** Marks a ceremony as used. Returns false if it was already used. */
export async function use(tx: Db, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update account.ceremonies set used_at = now() where id = ${id} and ${open}`)
  return rowCount === 1
}

export async function findByLink(db: Db, token: string): Promise<Ceremony | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${table.columns()} from account.ceremonies where link_hash = ${hashSecret(token)}`)
}

/** Returns a ceremony whose code must be sent. `null` if the code exists or the ceremony has ended. */
export async function lockUnsent(tx: Db, id: string): Promise<Ceremony | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    select ${table.columns()} from account.ceremonies where id = ${id} and code_hash is null and ${open} for update`)
}

/** Stores the code of a ceremony, and the token of its link. `null` if the email has no link. */
export async function setCode(
  tx: Db,
  id: string,
  { code, token }: { code: string; token: string | null },
): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update account.ceremonies set code_hash = ${codeHash(id, code)}, link_hash = ${token === null ? null : hashSecret(token)} where id = ${id}`)
}

export const codeHash = (id: string, code: string): string => hashSecret(`${id} ${code}`)

const CodeRequests = z.object({ soon: z.number(), day: z.number() })

export type Asked = z.infer<typeof CodeRequests>

const Counts = z.object({ here: CodeRequests, all: CodeRequests })

/**
 * Counts requested codes of an email address: from known places of the person, from one unknown network, and from all
 * unknown networks. The caller adds the next request in its transaction.
 */
export async function countCodeRequests(
  tx: Db,
  email: string,
  { network, place }: { network: string; place: string | null },
): Promise<z.infer<typeof Counts>> {
  await tx.query(sql.typeAlias('void')`
    select from pg_advisory_xact_lock(${advisoryLockSpaces.signIn}, hashtext(${email}))`)
  const here = place
    ? sql.fragment`details ->> 'place' = ${place}`
    : sql.fragment`strange and details ->> 'network' = ${network}`
  return await tx.one(sql.type(Counts)`
    select json_build_object('soon', count(*) filter (where here and soon), 'day', count(*) filter (where here)) as here,
      json_build_object('soon', count(*) filter (where strange and soon), 'day', count(*) filter (where strange)) as all
    from (
      select ${here} as here, strange, created_at > now() - interval '15 minutes' as soon
      from (select details, created_at, details ->> 'place' is null as strange from account.ceremonies
        where email = ${email} and created_at > now() - interval '1 day') as made) as asked`)
}
