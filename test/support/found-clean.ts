import { newId } from '#lib/ids.ts'
import { type Db, sql } from '#sql/db.ts'

interface Announced {
  id: string
  orgId: string
  sha256?: string
  /** The type that the scan detected. */
  type?: string | null
}

/** Marks an announced file as scanned and clean in a transaction, without its bytes. Its ID is their key. */
export async function foundClean(
  tx: Db,
  { id, orgId, sha256: digest = '0'.repeat(64), type = null }: Announced,
): Promise<void> {
  const scan = newId()
  const founded = sql.fragment`engine = 'test', signature_version = '1', heuristics_version = '1', finished_at = now()`
  const change = (what: ReturnType<typeof sql.fragment>) => tx.query(sql.typeAlias('void')`${what}`)
  await change(sql.fragment`
    insert into files.scans (id, object_id, org_id, cause) values (${scan}, ${id}, ${orgId}, 'upload')`)
  await change(sql.fragment`
    update files.objects set scan_status = 'pending', place = 'held', held_key = ${id}, sha256 = ${digest},
      sniffed_type = ${type}, uploaded_at = now(), scan_id = ${scan}, metadata_stripped = true where id = ${id}`)
  await change(
    sql.fragment`update files.scans set status = 'clean', key = ${id}, sha256 = ${digest}, ${founded} where id = ${scan}`,
  )
  await change(sql.fragment`update files.objects set scan_status = 'scanning' where id = ${id}`)
  await change(sql.fragment`update files.objects set scan_status = 'clean', scanned_at = now() where id = ${id}`)
}
