import { newId } from '#lib/ids.ts'
import { type Db, sql } from '#sql/db.ts'

/** Marks an announced file as scanned and clean in a transaction, without its bytes. */
export async function foundClean(tx: Db, { id, orgId }: { id: string; orgId: string }): Promise<void> {
  const [scan, digest] = [newId(), '0'.repeat(64)]
  const founded = sql.fragment`engine = 'test', signature_version = '1', heuristics_version = '1', finished_at = now()`
  const change = (what: ReturnType<typeof sql.fragment>) => tx.query(sql.typeAlias('void')`${what}`)
  await change(sql.fragment`
    insert into files.scans (id, object_id, org_id, cause) values (${scan}, ${id}, ${orgId}, 'upload')`)
  await change(sql.fragment`
    update files.objects set scan_status = 'pending', place = 'held', held_key = ${id}, sha256 = ${digest},
      uploaded_at = now(), scan_id = ${scan}, metadata_stripped = true where id = ${id}`)
  await change(
    sql.fragment`update files.scans set status = 'clean', key = ${id}, sha256 = ${digest}, ${founded} where id = ${scan}`,
  )
  await change(sql.fragment`update files.objects set scan_status = 'scanning' where id = ${id}`)
  await change(sql.fragment`update files.objects set scan_status = 'clean', scanned_at = now() where id = ${id}`)
}
