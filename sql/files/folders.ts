import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'

interface Owner {
  orgId: string
  tenantId?: string | undefined
}

/** Character in place of the slash. It comes before every character of a name, so that a folder is next to its subfolders. */
const separator = '\u0001'

/** Comes after every other character. */
const last = '\u{10ffff}'

const ordered = (folder: string): string => folder.replaceAll('/', separator)

const column = sql.fragment`translate(folder, '/', chr(1))`

/** Condition that an object is directly in a folder. */
export const isIn = (folder: string) => sql.fragment`${column} = ${ordered(folder)}`

/** Condition that the path of an object’s folder, with a slash at its end, starts with a text. */
export function hasPrefix(prefix: string) {
  const start = ordered(prefix)
  const within = sql.fragment`${column} >= ${start} and ${column} < ${start + last}`
  return prefix.endsWith('/') ? sql.fragment`(${within} or ${isIn(prefix.slice(0, -1))})` : sql.fragment`(${within})`
}

const ofTenant = (tenantId: string | undefined) =>
  tenantId === undefined ? sql.fragment`` : sql.fragment`and tenant_id = ${tenantId}`

const listed = ({ orgId, tenantId }: Owner) => sql.fragment`
  org_id = ${orgId} and deleted_at is null and version_of is null and folder <> ''
  and (expires_at is null or expires_at > now()) ${ofTenant(tenantId)}`

/**
 * Lists the folders directly in `parent` in the order of their names, after the folder `after`. Reads one index entry
 * per folder, however many objects it has.
 */
export async function list(
  db: Db,
  owner: Owner,
  { parent, after, limit }: { parent: string; after: string | undefined; limit: number },
): Promise<readonly { folder: string }[]> {
  const start = parent === '' ? '' : ordered(parent) + separator
  const from = after === undefined ? start : ordered(after) + separator + last
  const first = (begin: ReturnType<typeof sql.fragment>) => sql.fragment`(
    select ${start}::text || split_part(substr(${column}, length(${start}::text) + 1), chr(1), 1) as name
    from files.objects where ${listed(owner)} and ${column} > ${begin} and ${column} < ${start + last}
    order by ${column} limit 1)`
  return await db.any(sql.type(z.object({ folder: z.string() }))`
    with recursive child as (
      ${first(sql.fragment`${from}`)}
      union all
      select next.name from child cross join lateral ${first(sql.fragment`child.name || ${separator + last}`)} as next)
    select translate(name, chr(1), '/') as folder from child limit ${limit}`)
}

/**
 * Moves all objects of a folder and of the folders in it. Returns the number of moved objects, or `null` if there are
 * more than `limit`.
 */
export async function move(
  tx: Db,
  { orgId, tenantId }: Owner,
  { from, to, limit }: { from: string; to: string; limit: number },
): Promise<number | null> {
  const found = await tx.any(sql.type(z.object({ id: Id }))`
    select id from files.objects
    where org_id = ${orgId} ${ofTenant(tenantId)} and deleted_at is null and version_of is null and ${hasPrefix(`${from}/`)}
    order by id limit ${limit + 1} for no key update`)
  if (found.length > limit) return null
  const ids = sql.array(
    found.map(({ id }) => id),
    'uuid',
  )
  await tx.query(sql.typeAlias('void')`
    update files.objects set folder = ltrim(${to} || substr(folder, length(${from}::text) + 1), '/')
    where (id = any(${ids}) or version_of = any(${ids})) and deleted_at is null`)
  return found.length
}

/** Returns the length of the longest path in a folder, in characters. 0 if the folder is empty. */
export async function findLongest(tx: Db, { orgId, tenantId }: Owner, folder: string): Promise<number> {
  return await tx.oneFirst(sql.type(z.object({ length: z.number() }))`
    select coalesce(max(length(folder)), 0) as length from files.objects
    where org_id = ${orgId} ${ofTenant(tenantId)} and deleted_at is null and version_of is null and ${hasPrefix(`${folder}/`)}`)
}
