import type { Db } from '#sql/db.ts'
import * as received from '#sql/email/received.ts'
import * as objects from '#sql/files/objects.ts'
import { enqueueRemoval } from '../../../files/remove.ts'
import { enqueue } from '../../../queue/enqueue.ts'
import { discardReceived } from '../../discard-received.ts'

/** Deletes a received email with its files. The bytes are deleted soon after. Returns false if it no longer exists. */
export async function deleteReceived(tx: Db, id: string): Promise<boolean> {
  const mail = await received.remove(tx, id)
  if (!mail) return false
  const { org_id: orgId } = mail
  await enqueue(tx, discardReceived, { id }, { orgId })
  for (const { object_id } of mail.attachments) {
    if (object_id === null) continue
    for (const deleted of await objects.markDeleted(tx, { orgId }, object_id)) await enqueueRemoval(tx, deleted)
  }
  return true
}
