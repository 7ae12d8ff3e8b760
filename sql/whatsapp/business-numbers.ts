import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import type { Part } from '../filters.ts'
import { days } from '../retention.ts'
import { defineTable, getColumns } from '../table.ts'

/**
 * Purpose of the encryption of a number's secrets (lib/seal.ts). The number's ID and the column's name are the
 * associated data.
 */
export const sealPurpose = 'whatsapp numbers'

export const table = defineTable(
  'whatsapp',
  'business_numbers',
  z.object({
    id: Id,
    org_id: Id,
    phone_number_id: z.string(),
    account_id: z.string(),
    display_phone: z.string().nullable(),
    verified_name: z.string().nullable(),
    access_token: z.string(),
    app_secret: z.string(),
    verify_token: z.string(),
    state: z.enum(['pending', 'connected', 'removed']),
    subscribed: z.boolean(),
    created_at: z.date(),
    rotated_at: z.date().nullable(),
    removed_at: z.date().nullable(),
  }),
  {
    retention: days('WHATSAPP_HISTORY_DAYS', 'removed_at', {
      which: 'without messages',
      where: sql.fragment`not exists (select from whatsapp.messages as m where m.number_id = old.id)`,
      batch: 100,
    }),
  },
)

export type BusinessNumber = z.infer<typeof table.Row>

export const Facts = table.Row.omit({ access_token: true, app_secret: true, verify_token: true })

export type Facts = z.infer<typeof Facts>

export type Secrets = Pick<BusinessNumber, 'access_token' | 'app_secret' | 'verify_token'>

export async function insert(
  tx: Db,
  number: Pick<BusinessNumber, 'id' | 'org_id' | 'phone_number_id' | 'account_id'> & Secrets,
): Promise<void> {
  await tx.query(sql.typeAlias('void')`${table.insert({ ...number, state: 'pending' })}`)
}

export async function find(db: Db, orgId: string, id: string): Promise<Facts | null> {
  return await db.maybeOne(sql.type(Facts)`
    select ${getColumns(Facts)} from whatsapp.business_numbers
    where id = ${id} and org_id = ${orgId} and state = 'connected'`)
}

export async function findAny(db: Db, id: string): Promise<BusinessNumber | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${table.columns()} from whatsapp.business_numbers where id = ${id}`)
}

export async function findByOrgs(db: Db, orgIds: readonly string[]): Promise<ReadonlyMap<string, Facts>> {
  const rows = await db.any(sql.type(Facts)`
    select ${getColumns(Facts)} from whatsapp.business_numbers
    where org_id = any(${sql.array([...new Set(orgIds)], 'uuid')}) and state = 'connected'`)
  return new Map(rows.map((row) => [row.org_id, row]))
}

export async function listByAccount(db: Db, accountId: string): Promise<readonly Facts[]> {
  return await db.any(sql.type(Facts)`
    select ${getColumns(Facts)} from whatsapp.business_numbers
    where account_id = ${accountId} and state = 'connected' order by id`)
}

export async function list(db: Db, orgId: string, { before, limit }: Part): Promise<readonly Facts[]> {
  return await db.any(sql.type(Facts)`
    select ${getColumns(Facts)} from whatsapp.business_numbers
    where org_id = ${orgId} and (${before ?? null}::uuid is null or id < ${before ?? null}) and state = 'connected'
    order by id desc limit ${limit}`)
}

/**
 * Returns the organisations that have connected this number or already have a number. Waits for concurrent attempts.
 */
export async function lockConflictingNumbers(
  tx: Db,
  { org_id, phone_number_id }: Pick<BusinessNumber, 'org_id' | 'phone_number_id'>,
): Promise<readonly Facts[]> {
  await tx.query(sql.typeAlias('void')`lock table whatsapp.business_numbers in share row exclusive mode`)
  return await tx.any(sql.type(Facts)`
    select ${getColumns(Facts)} from whatsapp.business_numbers
    where state = 'connected' and (org_id = ${org_id} or phone_number_id = ${phone_number_id})`)
}

/** Marks a number as connected, with Meta's data. Returns `null` if it was removed during the check. */
export async function connect(
  tx: Db,
  id: string,
  { displayPhone, verifiedName }: { displayPhone: string | null; verifiedName: string | null },
): Promise<Facts | null> {
  return await tx.maybeOne(sql.type(Facts)`
    update whatsapp.business_numbers
    set state = 'connected', display_phone = ${displayPhone}, verified_name = ${verifiedName}
    where id = ${id} and state = 'pending' returning ${getColumns(Facts)}`)
}

export async function saveSubscription(db: Db, id: string, subscribed: boolean): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update whatsapp.business_numbers set subscribed = ${subscribed} where id = ${id}`)
}

export async function rotate(tx: Db, orgId: string, id: string, secrets: Partial<Secrets>): Promise<Facts | null> {
  return await tx.maybeOne(sql.type(Facts)`
    update whatsapp.business_numbers set ${table.set(secrets)}, rotated_at = now()
    where id = ${id} and org_id = ${orgId} and state = 'connected' returning ${getColumns(Facts)}`)
}

/** Deletes the secrets of a number, so that its pending messages fail. Returns `null` if it is not connected. */
export async function remove(tx: Db, orgId: string, id: string): Promise<Facts | null> {
  return await tx.maybeOne(sql.type(Facts)`
    update whatsapp.business_numbers
    set state = 'removed', removed_at = now(), access_token = '', app_secret = '', verify_token = ''
    where id = ${id} and org_id = ${orgId} and state = 'connected' returning ${getColumns(Facts)}`)
}

export async function discard(tx: Db, id: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    delete from whatsapp.business_numbers where id = ${id} and state = 'pending'`)
}

export async function discardStale(tx: Db, olderThanSeconds: number): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    delete from whatsapp.business_numbers
    where state = 'pending' and created_at < now() - ${olderThanSeconds} * interval '1 second'`)
}

const Followed = z.object({ id: Id })

/**
 * Returns one connected number of each account that has a template under review or whose copy is older than
 * `olderThanHours`.
 */
export async function listDueForSync(db: Db, olderThanHours: number): Promise<readonly string[]> {
  return await db.anyFirst(sql.type(Followed)`
    select distinct on (n.account_id) n.id
    from whatsapp.business_numbers as n left join whatsapp.accounts as a using (account_id)
    where n.state = 'connected' and (
      a.synced_at is null or a.synced_at < now() - ${olderThanHours} * interval '1 hour'
      or exists (
        select from whatsapp.templates as t
        where t.account_id = n.account_id and t.status in ('PENDING', 'IN_APPEAL', 'PENDING_DELETION')))
    order by n.account_id, n.id`)
}
