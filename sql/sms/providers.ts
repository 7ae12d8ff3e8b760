import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { days } from '../retention.ts'
import { defineTable, getColumns } from '../table.ts'

/** Purpose of the encryption of a connection's secrets (lib/seal.ts). The associated data is the connection's ID. */
export const sealPurpose = 'sms providers'

export const Kind = z.enum(['twilio', 'vonage', 'http'])

export type Kind = z.infer<typeof Kind>

export const table = defineTable(
  'sms',
  'providers',
  z.object({
    id: Id,
    org_id: Id,
    name: z.string(),
    kind: Kind,
    sender: z.string().nullable(),
    settings: z.record(z.string(), z.unknown()),
    secrets: z.string(),
    per_second: z.number(),
    is_default: z.boolean(),
    state: z.enum(['active', 'removed']),
    paced_until: z.date(),
    created_at: z.date(),
    rotated_at: z.date().nullable(),
    removed_at: z.date().nullable(),
  }),
  {
    retention: days('SMS_HISTORY_DAYS', 'removed_at', {
      which: 'without messages',
      where: sql.fragment`not exists (select from sms.messages as m where m.provider_id = old.id)`,
      batch: 100,
    }),
  },
)

export type Provider = z.infer<typeof table.Row>

export const Facts = table.Row.omit({ secrets: true, paced_until: true })

export type Facts = z.infer<typeof Facts>

export type Changes = Partial<
  Pick<Provider, 'name' | 'sender' | 'settings' | 'secrets' | 'per_second' | 'is_default'> & { rotated_at: Date }
>

type New = Pick<
  Provider,
  'id' | 'org_id' | 'name' | 'kind' | 'sender' | 'settings' | 'secrets' | 'per_second' | 'is_default'
>

export async function insert(tx: Db, provider: New): Promise<Facts> {
  return await tx.one(sql.type(Facts)`
    ${table.insert({ ...provider, state: 'active' })} returning ${getColumns(Facts)}`)
}

export async function find(db: Db, orgId: string, id: string): Promise<Facts | null> {
  return await db.maybeOne(sql.type(Facts)`
    select ${getColumns(Facts)} from sms.providers where id = ${id} and org_id = ${orgId} and state = 'active'`)
}

/** Returns a connection of any organisation with its secrets, also if it was removed. */
export async function findAny(db: Db, id: string): Promise<Provider | null> {
  return await db.maybeOne(sql.type(table.Row)`select ${table.columns()} from sms.providers where id = ${id}`)
}

/** Number of days for which the callbacks of a removed connection are accepted. */
export const lateDays = 7

const isHeard = sql.fragment`(state = 'active' or removed_at > now() - ${lateDays} * interval '1 day')`

/** Returns a connection whose callbacks are accepted. */
export async function findHeard(db: Db, id: string): Promise<Provider | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${table.columns()} from sms.providers where id = ${id} and ${isHeard}`)
}

/** Returns the active connections of organisations, the default one first. */
export async function findByOrgs(db: Db, orgIds: readonly string[]): Promise<ReadonlyMap<string, readonly Facts[]>> {
  const rows = await db.any(sql.type(Facts)`
    select ${getColumns(Facts)} from sms.providers
    where org_id = any(${sql.array([...new Set(orgIds)], 'uuid')}) and state = 'active'
    order by org_id, is_default desc, id`)
  return Map.groupBy(rows, ({ org_id }) => org_id)
}

export const filters = { kind: table.equals('kind') }

export async function list(db: Db, orgId: string, { where, before, limit }: Page<typeof filters>) {
  return await db.any(sql.type(Facts)`
    select ${getColumns(Facts)} from sms.providers
    where org_id = ${orgId} and state = 'active' and ${where} and ${isOlder(before)} order by id desc limit ${limit}`)
}

export async function count(db: Db, orgId: string): Promise<number> {
  return await db.oneFirst(sql.typeAlias('count')`
    select count(*) from sms.providers where org_id = ${orgId} and state = 'active'`)
}

export async function clearDefault(tx: Db, orgId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update sms.providers set is_default = false where org_id = ${orgId} and is_default and state = 'active'`)
}

export async function update(tx: Db, orgId: string, id: string, changes: Changes): Promise<Facts | null> {
  return await tx.maybeOne(sql.type(Facts)`
    update sms.providers set ${table.set(changes)}
    where id = ${id} and org_id = ${orgId} and state = 'active' returning ${getColumns(Facts)}`)
}

/** Replaces the secrets of a connection with those that check late callbacks. Its pending messages fail. */
export async function remove(tx: Db, orgId: string, id: string, secrets: string): Promise<Facts | null> {
  return await tx.maybeOne(sql.type(Facts)`
    update sms.providers set state = 'removed', removed_at = now(), secrets = ${secrets}, is_default = false
    where id = ${id} and org_id = ${orgId} and state = 'active' returning ${getColumns(Facts)}`)
}

export async function forgetSecrets(db: Db, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update sms.providers set secrets = '' where id = ${id} and state = 'removed' and not ${isHeard}`)
}

/** Makes the oldest active connection the default if the organisation has no default. */
export async function ensureDefault(tx: Db, orgId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update sms.providers set is_default = true
    where id = (
      select id from sms.providers where org_id = ${orgId} and state = 'active'
        and not exists (select from sms.providers where org_id = ${orgId} and state = 'active' and is_default)
      order by id limit 1)`)
}

/** Postpones all messages of a connection that have no slot yet, because the provider asked for a pause. */
export async function pause(db: Db, id: string, seconds: number): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update sms.providers set paced_until = greatest(paced_until, now() + ${seconds} * interval '1 second')
    where id = ${id}`)
}
