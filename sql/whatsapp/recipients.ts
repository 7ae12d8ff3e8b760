import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { defineTable } from '../table.ts'

export const Consent = z.enum(['granted', 'denied'])

export type Consent = z.infer<typeof Consent>

/** People that an organisation writes to, by phone number: the link to the person, and consent. */
export const table = defineTable(
  'whatsapp',
  'recipients',
  z.object({
    id: Id,
    org_id: Id,
    phone: z.string(),
    user_id: z.string().nullable(),
    consent: Consent.nullable(),
    consent_source: z.string().nullable(),
    consent_at: z.date().nullable(),
    created_at: z.date(),
    updated_at: z.date(),
  }),
)

export type Recipient = z.infer<typeof table.Row>

/** Values to set. If a value is undefined, the stored value is kept. */
export interface RecipientChanges {
  user_id?: string | null | undefined
  consent?: Consent | undefined
  consent_source?: string | null | undefined
  /** True if the person has decided now, so that a repeated denial also applies to messages written before. */
  isDecision?: boolean
}

/** Creates a recipient or changes the given values. The time of the consent changes with the consent or a decision. */
export async function put(
  tx: Db,
  { org_id, phone }: Pick<Recipient, 'org_id' | 'phone'>,
  { user_id, consent, consent_source, isDecision = false }: RecipientChanges,
): Promise<Recipient> {
  const given = consent !== undefined
  const isNew = sql.fragment`${given} and (${isDecision} or r.consent is distinct from excluded.consent)`
  return await tx.one(sql.type(table.Row)`
    insert into whatsapp.recipients as r (id, org_id, phone, user_id, consent, consent_source, consent_at)
    values (${newId()}, ${org_id}, ${phone}, ${user_id ?? null}, ${consent ?? null}, ${given ? (consent_source ?? null) : null},
      case when ${given} then now() end)
    on conflict (org_id, phone) do update
    set user_id = case when ${user_id !== undefined} then excluded.user_id else r.user_id end,
      consent_at = case when ${isNew} then now() else r.consent_at end,
      consent_source = case when ${isNew} then excluded.consent_source else r.consent_source end,
      consent = case when ${given} then excluded.consent else r.consent end,
      updated_at = now()
    returning ${table.columns('r')}`)
}

export async function find(db: Db, orgId: string, phone: string): Promise<Recipient | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${table.columns()} from whatsapp.recipients where org_id = ${orgId} and phone = ${phone}`)
}

export const filters = { user_id: table.equals('user_id'), consent: table.equals('consent') }

export async function list(
  db: Db,
  orgId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly Recipient[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from whatsapp.recipients where org_id = ${orgId} and ${where} and ${isOlder(before)}
    order by id desc limit ${limit}`)
}

export async function remove(tx: Db, orgId: string, phone: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    delete from whatsapp.recipients where org_id = ${orgId} and phone = ${phone}`)
  return rowCount > 0
}

const Denied = table.Row.pick({ org_id: true, phone: true }).extend({ consent_at: z.date() })

interface Wanted {
  org_id: string
  phone: string
}

/** Returns a function that gives the time since which a person receives no messages. `undefined` if the person receives them. */
export async function findDenied(db: Db, wanted: readonly Wanted[]): Promise<(one: Wanted) => Date | undefined> {
  if (wanted.length === 0) return () => undefined
  const rows = await db.any(sql.type(Denied)`
    select distinct r.org_id, r.phone, r.consent_at from whatsapp.recipients as r
    join ${sql.unnest(
      wanted.map(({ org_id, phone }) => [org_id, phone]),
      ['uuid', 'text'],
    )} as w (org_id, phone) on r.org_id = w.org_id and r.phone = w.phone
    where r.consent = 'denied'`)
  const byName = new Map(rows.map((row) => [nameOf(row), row.consent_at]))
  return (one) => byName.get(nameOf(one))
}

const nameOf = ({ org_id, phone }: Wanted): string => `${org_id} ${phone}`

/** Returns the recipients that are linked to a person, and those with a number of the person and without a link. */
export async function listForPerson(
  db: Db,
  { org_id, user_id, phones }: { org_id: string; user_id: string; phones: readonly string[] },
  limit: number,
): Promise<readonly Recipient[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from whatsapp.recipients
    where org_id = ${org_id}
      and (user_id = ${user_id} or (user_id is null and phone = any(${sql.array([...phones], 'text')})))
    order by phone limit ${limit}`)
}
