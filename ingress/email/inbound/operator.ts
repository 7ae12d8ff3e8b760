import { isIPv4 } from 'node:net'
import { config } from '#lib/config.ts'
import { newId } from '#lib/ids.ts'
import { getNetwork } from '#lib/network/network.ts'
import type { Db } from '#sql/db.ts'
import * as operatorMail from '#sql/email/operator-mail.ts'
import { forwardedField, forwardOperatorMail } from '#tasks/email/forward-operator-mail.ts'
import { readFields } from '#tasks/email/rules/reports/fields.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import type { Purpose } from './recipient.ts'
import { RefusalError } from './refusal.ts'

const mostBytes = 1024 ** 2 - 1

const headerBytes = 64 * 1024

/**
 * Stores an email to the operator and forwards it if MAIL_POSTMASTER is set. Email that has already been forwarded is
 * not forwarded again.
 */
export async function storeOperatorMail(
  tx: Db,
  { sender, recipient }: Extract<Purpose, { kind: 'operator' }>,
  content: Buffer,
  remoteAddress: string,
): Promise<void> {
  if (content.length > mostBytes) throw new RefusalError(552, `This address accepts at most ${mostBytes} bytes`)
  const id = newId()
  const remote_network = getNetwork(remoteAddress, isIPv4(remoteAddress) ? 24 : 48)
  const isKept = await operatorMail.insert(tx, { id, sender, recipient, remote_network, content })
  if (!isKept) throw new RefusalError(451, 'Too much email for this address, try again later')
  const header = readFields(content.toString('latin1', 0, headerBytes))
  if (config.MAIL_POSTMASTER === undefined || header.has(forwardedField.toLowerCase())) return
  await enqueue(tx, forwardOperatorMail, { id })
}
