import type { z } from 'zod'
import { type CursorPage, cut } from '../cursor-page.ts'
import { type Db, sql } from '../db.ts'
import { everything } from '../filters.ts'
import { FileObject, owned, table } from './objects.ts'

const SomeObject = FileObject.pick({ id: true, filename: true, scan_status: true, byte_size: true })

/** Returns those of the given objects that an organisation has. */
export async function listSome(
  db: Db,
  orgId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, z.infer<typeof SomeObject>>> {
  const found = await db.any(sql.type(SomeObject)`
    select id, filename, scan_status, byte_size from files.objects
    where id = any(${sql.array([...ids], 'uuid')}) and ${owned({ orgId })}`)
  return new Map(found.map((object) => [object.id, object]))
}

/** Returns the objects of a product and tenant, optionally only those with a purpose in their metadata. */
export async function listUploaded(
  db: Db,
  orgId: string,
  { product_key, tenant_id: tenantId }: Pick<FileObject, 'product_key' | 'tenant_id'>,
  page: CursorPage,
  purpose?: string,
): Promise<readonly FileObject[]> {
  const { part, turn } = cut(page)
  const hasPurpose = purpose === undefined ? everything : sql.fragment`metadata ->> 'purpose' = ${purpose}`
  return turn(
    await db.any(sql.type(FileObject)`
      select ${table.columns()} from files.objects
      where ${owned({ orgId, tenantId })} and product_key = ${product_key} and version_of is null and ${hasPurpose}
        and ${part}`),
  )
}
