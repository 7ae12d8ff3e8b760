import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'

export const Area = z.enum(['files', 'stream'])

export type Area = z.infer<typeof Area>

/** Tokens with which web pages start uploads. The token itself is signed and not stored. */
export const table = defineTable(
  'account',
  'upload_tokens',
  z.object({
    id: Id,
    org_id: Id,
    key_id: Id,
    area: Area,
    product_key: z.string().nullable(),
    tenant_id: z.string().nullable(),
    content_types: z.array(z.string()),
    max_bytes: z.number(),
    max_files: z.int(),
    files: z.int(),
    origins: z.array(z.string()),
    expires_at: z.date(),
    revoked_at: z.date().nullable(),
    created_at: z.date(),
  }),
  { retention: days(30, 'expires_at') },
)

export const UploadToken = table.Row

export type UploadToken = z.infer<typeof UploadToken>

const columns = table.columns()

export type NewUploadToken = Pick<
  UploadToken,
  'id' | 'org_id' | 'key_id' | 'area' | 'max_bytes' | 'max_files' | 'origins' | 'content_types' | 'expires_at'
> &
  Partial<Pick<UploadToken, 'product_key' | 'tenant_id'>>

export async function insert(tx: Db, { origins, content_types, ...token }: NewUploadToken): Promise<UploadToken> {
  const row = { ...token, origins: sql.array(origins, 'text'), content_types: sql.array(content_types, 'text') }
  return await tx.one(sql.type(UploadToken)`${table.insert(row)} returning ${columns}`)
}

export interface TokenOwner {
  orgId: string
  area: Area
  tenantId?: string | undefined
}

const owned = ({ orgId, area, tenantId }: TokenOwner) =>
  tenantId === undefined
    ? sql.fragment`org_id = ${orgId} and area = ${area}`
    : sql.fragment`org_id = ${orgId} and area = ${area} and tenant_id = ${tenantId}`

export async function find(db: Db, owner: TokenOwner, id: string): Promise<UploadToken | null> {
  return await db.maybeOne(sql.type(UploadToken)`
    select ${columns} from account.upload_tokens where id = ${id} and ${owned(owner)}`)
}

export async function list(
  db: Db,
  owner: TokenOwner,
  { before, limit }: Pick<Page<never>, 'before' | 'limit'>,
): Promise<readonly UploadToken[]> {
  return await db.any(sql.type(UploadToken)`
    select ${columns} from account.upload_tokens
    where ${owned(owner)} and ${isOlder(before)} order by id desc limit ${limit}`)
}

/** Revokes a token. Repeated calls change nothing. Returns `null` if the token does not exist. */
export async function revoke(db: Db, owner: TokenOwner, id: string): Promise<UploadToken | null> {
  return await db.maybeOne(sql.type(UploadToken)`
    update account.upload_tokens set revoked_at = coalesce(revoked_at, now())
    where id = ${id} and ${owned(owner)} returning ${columns}`)
}

/** Counts one more upload. Returns `null` if the token has expired, is revoked, or allows no more uploads. */
export async function takeOne(tx: Db, orgId: string, id: string): Promise<UploadToken | null> {
  return await tx.maybeOne(sql.type(UploadToken)`
    update account.upload_tokens set files = files + 1
    where id = ${id} and org_id = ${orgId} and revoked_at is null and expires_at > now() and files < max_files
    returning ${columns}`)
}

export async function isRevoked(db: Db, id: string): Promise<boolean> {
  return await db.exists(sql.type(z.object({ id: Id }))`
    select id from account.upload_tokens where id = ${id} and revoked_at is not null`)
}
