import { badRequest, type Fault, forbidden, type Problem } from '#lib/errors.ts'
import type { Caller } from '#sql/account/keys.ts'
import type { Db } from '#sql/db.ts'
import * as objects from '#sql/files/objects.ts'
import { getServedVersion } from '#sql/files/versions.ts'
import { findMissing } from '#tasks/account/rules/scopes.ts'
import type { MessageRequest } from '#tasks/whatsapp/rules/accept-messages.ts'
import { listFiles, type NamedFile } from '#tasks/whatsapp/rules/files-in.ts'
import { findMediaFault } from '#tasks/whatsapp/rules/media-limits.ts'

interface Asked {
  key: Caller['key']
  wanted: Pick<MessageRequest, 'org_id' | 'type' | 'content' | 'fallback'>
  contentField: string
  field: string
}

/**
 * Throws 400 with each file that belongs to another organisation, is not clean, or has a type that WhatsApp does not
 * accept.
 */
export async function checkFiles(
  tx: Db,
  { key, wanted: { org_id: orgId, type, content, fallback }, contentField, field }: Asked,
): Promise<Problem | undefined> {
  const named: NamedFile[] = [...listFiles(content, contentField, type), ...listFiles(fallback, field)]
  if (named.length === 0) return undefined
  // A key that can only send must not send itself files that it is not allowed to download.
  if (findMissing(key.scopes, 'files:read').length > 0)
    return forbidden('To send an object of the files area, the API key also needs the `files:read` scope.')
  const owner = { orgId, tenantId: key.locks.tenant_id }
  const faults: Fault[] = []
  for (const { path, objectId, kind } of named) {
    const asked = await objects.find(tx, owner, objectId)
    const issue = asked
      ? findMediaFault(kind, await getServedVersion(tx, asked))
      : 'must be an object of the files area'
    if (issue !== undefined) faults.push({ field: path, issue })
  }
  return faults.length > 0 ? badRequest(faults) : undefined
}
