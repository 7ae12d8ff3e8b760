import type { Db } from '#sql/db.ts'
import * as objects from '#sql/files/objects.ts'
import * as rows from '#sql/files/versions.ts'
import { mustFind } from '../../http/must-find.ts'
import { problem } from '../../http/problem-kinds.ts'
import { notUploaded } from '../uploads.ts'

export const tooMany = problem(409, 'too_many_versions', `An object can have up to ${rows.maxVersions} versions.`)

type Shared = 'product_key' | 'tenant_id' | 'version' | 'visibility' | 'metadata' | 'folder' | 'expires_at'

export interface ReservedVersion extends Pick<objects.FileObject, Shared> {
  version_of: string
  /** File name of the served version. */
  nameBefore: string
}

/** Reserves the next version of an object. Throws 404, `409 not_uploaded` or `409 too_many_versions`. */
export async function reserveVersion(
  tx: Db,
  owner: objects.Owner,
  asked: objects.FileObject,
): Promise<ReservedVersion> {
  const first = asked.version_of ?? asked.id
  const { filename: nameBefore } = await rows.getServedVersion(tx, asked)
  const next = await rows.reserveNextVersion(tx, first)
  if (!next) {
    await mustFind(objects.find(tx, owner, first), 'object')
    throw notUploaded('The object has no content yet. Complete its upload first.')
  }
  const { count, ...shared } = next
  if (count >= rows.maxVersions) throw tooMany(tooMany.when)
  const { product_key, tenant_id } = asked
  return { product_key, tenant_id, version_of: first, nameBefore, ...shared }
}
