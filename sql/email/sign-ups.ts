import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'

export const keepDays = 90

/**
 * `waiting`: the confirmation request has not been created. `asked`: it has. `skipped`: it was not sent, for example
 * because the contact has unsubscribed.
 */
export const State = z.enum(['waiting', 'asked', 'confirmed', 'skipped'])

/** What people sent with a form. */
export const table = defineTable(
  'email',
  'sign_ups',
  z.object({
    id: Id,
    org_id: Id,
    form_id: Id,
    email: z.string(),
    written: z.string().nullable(),
    topics: z.array(z.string()),
    source: z.string(),
    title: z.string(),
    consent_text: z.string(),
    text_version: z.string(),
    ip: z.string(),
    network: z.string(),
    state: State,
    reason: z.string().nullable(),
    message_id: Id.nullable(),
    created_at: z.date(),
    confirmed_at: z.date().nullable(),
  }),
  { retention: days(keepDays, 'created_at') },
)

export type SignUp = z.infer<typeof table.Row>

export async function insert(
  tx: Db,
  { topics, ...row }: Omit<SignUp, 'state' | 'reason' | 'message_id' | 'created_at' | 'confirmed_at'>,
): Promise<void> {
  await tx.query(sql.typeAlias('void')`${table.insert({ ...row, topics: sql.array(topics, 'text') })}`)
}

/** Counts the sign-ups of a network within the last hour, for all forms. */
export async function countOfNetwork(db: Db, network: string): Promise<number> {
  return await db.oneFirst(sql.typeAlias('count')`
    select count(*) from email.sign_ups where network = ${network} and created_at > now() - interval '1 hour'`)
}

/** Returns a waiting sign-up, locked until the transaction ends. */
export async function lockWaiting(tx: Db, id: string): Promise<SignUp | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    select ${table.columns()} from email.sign_ups where id = ${id} and state = 'waiting' for update`)
}

const Recent = z.object({ quarter: z.number(), day: z.number() })

/** Counts the confirmation requests that forms have sent to an address within 15 minutes and within a day. */
export async function countAsked(tx: Db, { org_id, email, id }: SignUp): Promise<z.infer<typeof Recent>> {
  return await tx.one(sql.type(Recent)`
    select count(*) filter (where created_at > now() - interval '15 minutes')::integer as quarter,
      count(*)::integer as day
    from email.sign_ups
    where org_id = ${org_id} and email = ${email} and id <> ${id} and message_id is not null
      and created_at > now() - interval '1 day'`)
}

export async function setAsked(tx: Db, id: string, messageId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update email.sign_ups set state = 'asked', message_id = ${messageId} where id = ${id}`)
}

export async function skip(tx: Db, id: string, reason: string): Promise<void> {
  await tx.query(
    sql.typeAlias('void')`update email.sign_ups set state = 'skipped', reason = ${reason} where id = ${id}`,
  )
}

/** Returns the sign-up whose confirmation request the message is, locked. Null if it was confirmed before. */
export async function lockAsked(tx: Db, messageId: string): Promise<SignUp | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    select ${table.columns()} from email.sign_ups where message_id = ${messageId} and state = 'asked' for update`)
}

export async function setConfirmed(tx: Db, id: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update email.sign_ups set state = 'confirmed', confirmed_at = now() where id = ${id}`)
}

export const filters = { state: table.equals('state') }

export async function list(
  db: Db,
  formId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly SignUp[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from email.sign_ups where form_id = ${formId} and ${where} and ${isOlder(before)}
    order by id desc limit ${limit}`)
}

const Counted = z.object({ state: State, count: z.number() })

export async function countStates(db: Db, formId: string): Promise<Partial<Record<z.infer<typeof State>, number>>> {
  const found = await db.any(sql.type(Counted)`
    select state, count(*) from email.sign_ups where form_id = ${formId} group by state`)
  return Object.fromEntries(found.map(({ state, count }) => [state, count]))
}
