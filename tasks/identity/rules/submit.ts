import { conflict } from '#lib/errors.ts'
import type { Db } from '#sql/db.ts'
import * as objects from '#sql/files/objects.ts'
import * as checks from '#sql/identity/checks.ts'
import * as prompts from '#sql/identity/prompts.ts'
import { enqueueRemoval } from '../../files/remove.ts'
import { expiryOf } from './decide.ts'
import { settle } from './settle.ts'
import { isHeld } from './standing.ts'

/**
 * Uses a prompt up for what was handed in by it: a file, which somebody will look at, or the subject's word. Throws 409
 * `prompt_used` when the prompt is used or over, and `already_verified` when there is nothing left to meet.
 */
export async function submit(
  tx: Db,
  promptId: string,
  what: { method: 'upload'; objectId: string } | { method: 'consent' },
): Promise<void> {
  const prompt = await prompts.use(tx, promptId)
  if (prompt === null) throw conflict('This link was used already, or is too old.', 'prompt_used')
  const before = await checks.lock(tx, prompt)
  if (isHeld(before)) throw conflict('This is verified already.', 'already_verified')
  if (what.method === 'consent') {
    const expiresAt = expiryOf(prompt.requirement)
    await settle(tx, before.id, { status: 'verified', method: 'consent', expiresAt })
    return
  }
  await settle(tx, before.id, { status: 'submitted', ...what })
  if (before.object_id === null || before.object_id === what.objectId) return
  const replaced = await objects.markDeleted(tx, { orgId: prompt.org_id }, before.object_id)
  if (replaced) await enqueueRemoval(tx, replaced)
}
