import { newId } from '#lib/ids.ts'
import type { Storage } from '#lib/storage/storage.ts'
import * as plans from '#sql/account/plans.ts'
import { bytesNow, storageLimit } from '#sql/account/storage.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as received from '#sql/email/received.ts'
import { readReceived } from '#tasks/email/read-received.ts'
import { forgetReceived } from '#tasks/email/rules/forget-received.ts'
import { rawKey } from '#tasks/email/rules/received-keys.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { type Purpose, tooMuch } from './recipient.ts'
import { Refusal } from './refusal.ts'
import type { Spooled } from './spool.ts'

/** A mail for a route, and where it came from. */
export interface RoutedMail {
  purpose: Extract<Purpose, { kind: 'route' }>
  content: Spooled
  remoteAddress: string
  helo: string
}

/**
 * Takes a mail for an organisation: when this resolves its bytes are stored, and it will be read. Its row comes before its bytes, so that
 * none are in storage of which nobody knows; a repeat of the same bytes is answered alike and kept once.
 */
export async function takeReceived(
  { db, storage }: { db: DatabasePool; storage: Storage },
  { purpose, content, remoteAddress, helo }: RoutedMail,
): Promise<void> {
  const { route, sender, recipient, network } = purpose
  await demandSpace(db, route.org_id, content.bytes)
  const mail = { id: newId(), org_id: route.org_id, route_id: route.id, recipient }
  const announced = await db.transaction((tx) =>
    received.announce(tx, {
      ...mail,
      sender,
      remote_address: remoteAddress,
      remote_network: network,
      helo,
      bytes: content.bytes,
    }),
  )
  if (!announced) throw tooMuch()
  await content.store(storage, rawKey(mail.id))
  const taken = await db.transaction(async (tx) => {
    const came = await received.take(tx, mail, content.sha256)
    if (came === 'taken') await enqueue(tx, readReceived, { id: mail.id }, { orgId: mail.org_id })
    else if (came === 'known') await forgetReceived(tx, mail.id)
    return came
  })
  if (taken === 'gone') throw new Refusal(451, 'Try again later')
}

async function demandSpace(db: DatabasePool, orgId: string, bytes: number): Promise<void> {
  const plan = await plans.ofOrg(db, orgId)
  const left = (await storageLimit(db, orgId, plan.storage_bytes)) - (await bytesNow(db, orgId))
  if (bytes > left) throw new Refusal(452, 'The mailbox is full')
}
