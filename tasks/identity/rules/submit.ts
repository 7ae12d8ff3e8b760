import { conflict } from '#lib/errors.ts'
import type { Db } from '#sql/db.ts'
import * as objects from '#sql/files/objects.ts'
import * as checks from '#sql/identity/checks.ts'
import * as prompts from '#sql/identity/prompts.ts'
import * as readings from '#sql/identity/readings.ts'
import { enqueueRemoval } from '../../files/remove.ts'
import { showsDocument } from './catalogue.ts'
import { expiryOf } from './decide.ts'
import { requestReading } from './request-reading.ts'
import { settle } from './settle.ts'
import { isVerifiedForNow } from './standing.ts'
import { emitDocumentRead } from './tell-read.ts'

/**
 * Uses up a prompt for a submitted file or a consent. Throws 409 `prompt_used` if the prompt was used or has expired,
 * and `already_verified` if the requirement is already met.
 */
export async function submit(
  tx: Db,
  promptId: string,
  what: { method: 'upload'; objectId: string } | { method: 'consent' },
): Promise<void> {
  const prompt = await prompts.use(tx, promptId)
  if (prompt === null) throw conflict('This link was already used or has expired.', 'prompt_used')
  if (what.method === 'upload' && prompt.object_id !== what.objectId)
    throw conflict('A newer file was uploaded. Submit the newer file.')
  const before = await checks.lock(tx, prompt)
  if (isVerifiedForNow(before)) throw conflict('This requirement is already verified.', 'already_verified')
  if (what.method === 'consent') {
    const expiresAt = expiryOf(prompt.requirement)
    await settle(tx, before.id, { status: 'verified', method: 'consent', expiresAt })
    return
  }
  await settle(tx, before.id, { status: 'submitted', ...what })
  if (showsDocument(prompt.requirement)) {
    await requestReading(tx, { orgId: prompt.org_id, objectId: what.objectId })
    const reading = await readings.recordSubmission(tx, what.objectId, prompt.subject)
    if (reading) await emitDocumentRead(tx, reading)
  }
  if (before.object_id === null || before.object_id === what.objectId) return
  for (const replaced of await objects.markDeleted(tx, { orgId: prompt.org_id }, before.object_id))
    await enqueueRemoval(tx, replaced)
}
