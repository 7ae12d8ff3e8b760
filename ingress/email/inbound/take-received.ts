import { newId } from '#lib/ids.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import * as received from '#sql/email/received.ts'
import { readReceived } from '#tasks/email/read-received.ts'
import { deleteReceived } from '#tasks/email/rules/received/delete.ts'
import { rawKey } from '#tasks/email/rules/received/keys.ts'
import { receivedStorage, warnOfReceivedStorage } from '#tasks/email/rules/received/storage.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { mailboxFull, type Purpose, tooMuchMail } from './recipient.ts'
import { RefusalError } from './refusal.ts'
import type { Spooled } from './spool.ts'

export interface RoutedMail {
  purpose: Extract<Purpose, { kind: 'route' }>
  content: Spooled
  remoteAddress: string
  helo: string
}

/**
 * Stores an email for an organisation and adds a job that reads it. The row is written before the bytes, so that
 * storage contains no unknown objects. The same email is stored once, and always gets the same reply.
 */
export async function storeReceived(
  { db, storage }: { db: DatabasePool; storage: Storage },
  { purpose, content, remoteAddress, helo }: RoutedMail,
): Promise<void> {
  const { route, sender, recipient, network } = purpose
  const mail = { id: newId(), org_id: route.org_id, route_id: route.id, recipient }
  const announced = await db.transaction(async (tx) => {
    // The server sent the email again because another recipient rejected it.
    if (await received.isDuplicate(tx, mail, content.sha256)) return 'known'
    const brought = { sender, remote_address: remoteAddress, remote_network: network, helo, bytes: content.bytes }
    if (!(await received.insertArriving(tx, { ...mail, ...brought }))) return 'too_much'
    if (await hasSpace(tx, mail.org_id)) return 'announced'
    await warnOfReceivedStorage(tx, mail.org_id)
    await received.remove(tx, mail.id)
    return 'full'
  })
  if (announced === 'too_much') throw tooMuchMail()
  if (announced === 'full') throw mailboxFull()
  if (announced === 'known') return
  await content.store(storage, rawKey(mail.id))
  const taken = await db.transaction(async (tx) => {
    const came = await received.markTaken(tx, mail, content.sha256)
    if (came === 'taken') {
      await enqueue(tx, readReceived, { id: mail.id }, { orgId: mail.org_id })
      await warnOfReceivedStorage(tx, mail.org_id)
    } else if (came === 'known') await deleteReceived(tx, mail.id)
    return came
  })
  if (taken === 'gone') throw new RefusalError(451, 'Try again later')
}

/**
 * True if there is enough storage for the email. The size that other requests have announced counts too. The count is
 * locked.
 */
async function hasSpace(tx: Db, orgId: string): Promise<boolean> {
  const { used, limit, isFull } = await receivedStorage(tx, orgId)
  return used <= limit && !isFull
}
