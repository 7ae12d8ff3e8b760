import { newId } from '#lib/ids.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as objects from '#sql/files/objects.ts'
import * as checks from '#sql/identity/checks.ts'
import * as readings from '#sql/identity/readings.ts'
import { parseMrz } from '#tasks/identity/rules/mrz/parse.ts'
import { foundClean } from './found-clean.ts'
import { anna, td3 } from './specimen.ts'

/** A submitted document that was read, without its bytes. */
export async function handedIn(db: DatabasePool, orgId: string, subject: string): Promise<void> {
  const read = parseMrz(td3(anna))
  if (!read) throw new Error('The specimen is not read.')
  const id = newId()
  const keys = { incoming_key: `in/${id}`, product_key: 'identity', tenant_id: 'identity' }
  const facts = { filename: 'passport.pdf', content_type: 'application/pdf', byte_size: 6, checksum_sha256: null }
  await db.transaction(async (tx) => {
    await objects.insert(tx, { id, org_id: orgId, ...keys, ...facts, upload_expires_at: new Date() })
    await foundClean(tx, { id, orgId })
    const check = await checks.lock(tx, { org_id: orgId, subject, requirement: 'identity.document' })
    await checks.settle(tx, check.id, { status: 'submitted', method: 'upload', objectId: id })
    await readings.request(tx, { orgId, objectId: id })
    await readings.recordSubmission(tx, id, subject)
    await readings.end(tx, id, { ...read, numberHash: 'of the specimen' })
  })
}
