import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import type { Part } from '../filters.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'voice',
  'numbers',
  z.object({
    id: Id,
    org_id: Id,
    number: z.string(),
    friendly_name: z.string(),
    country: z.string(),
    type: z.enum(['local', 'mobile', 'toll_free']),
    status: z.enum(['active', 'suspended']),
    created_at: z.date(),
  }),
)

export type OwnNumber = z.infer<typeof table.Row>

const columns = table.columns()

/** Assigns a number to an organisation. Returns null if it is already assigned. */
export async function insert(db: Db, number: Omit<OwnNumber, 'status' | 'created_at'>): Promise<OwnNumber | null> {
  return await db.maybeOne(sql.type(table.Row)`
    ${table.insert(number)} on conflict (number) do nothing returning ${columns}`)
}

export async function list(db: Db, orgId: string, { before, limit }: Part): Promise<readonly OwnNumber[]> {
  return await db.any(sql.type(table.Row)`
    select ${columns} from voice.numbers
    where org_id = ${orgId} and (${before ?? null}::uuid is null or id < ${before ?? null})
    order by id desc limit ${limit}`)
}

/**
 * Returns the requested active number. Without a requested number, returns the oldest active number. Returns null if
 * none is active.
 */
export async function findActive(db: Db, orgId: string, number: string | undefined): Promise<OwnNumber | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from voice.numbers
    where org_id = ${orgId} and status = 'active' and (${number ?? null}::text is null or number = ${number ?? null})
    order by id limit 1`)
}

export async function countries(db: Db, orgId: string): Promise<readonly string[]> {
  return await db.anyFirst(sql.type(z.object({ country: z.string() }))`
    select distinct country from voice.numbers where org_id = ${orgId} and status = 'active' order by country`)
}

const WithOrg = table.Row.extend({ org: z.string() })

export async function listAny(db: Db): Promise<readonly z.infer<typeof WithOrg>[]> {
  return await db.any(sql.type(WithOrg)`
    select ${table.columns('n')}, o.name as org from voice.numbers as n join account.orgs as o on o.id = n.org_id
    order by n.number`)
}

/** Changes the status of a number. Returns false if it is not assigned. */
export async function setStatus(db: Db, number: string, status: OwnNumber['status']): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    update voice.numbers set status = ${status} where number = ${number}`)
  return rowCount === 1
}

export async function remove(db: Db, number: string): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`delete from voice.numbers where number = ${number}`)
  return rowCount === 1
}
