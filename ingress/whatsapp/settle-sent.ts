import { Problem } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as numbers from '#sql/whatsapp/business-numbers.ts'
import * as rows from '#sql/whatsapp/messages.ts'
import { answeredWithinMs } from '#tasks/whatsapp/send.ts'
import { type Services, service } from '../http/container.ts'
import { createRowWatch, type RowWatch } from '../http/database/row-watch.ts'
import { stopping } from '../http/services.ts'
import { present } from './present.ts'
import { toSendProblem } from './refusals.ts'
import { settings } from './settings.ts'
import { type CopiedAccount, templateCopy } from './template-copy.ts'

const isOpen = (status: rows.Status) => status === 'queued' || status === 'sending'

export const sentWatch = service<RowWatch<rows.Status>>({
  name: 'whatsapp.sent watch',
  open: ({ db, services }) =>
    createRowWatch<rows.Status>({
      read: (ids) => rows.findStatuses(db, ids),
      initial: 'queued',
      hasSettled: (status) => !isOpen(status),
      stopping: services(stopping),
    }),
})

/**
 * Waits for WhatsApp's response and returns the message. First and repeated requests both wait. If WhatsApp rejects the
 * message, the idempotency key is released. If it is unknown whether WhatsApp has the message, the key is kept, so that
 * a repeated request does not send a second message.
 */
export async function waitForWhatsapp<
  Reply extends { id: string; send_at: string; created_at: string; sandbox?: true | undefined },
>(reply: Reply, db: DatabasePool, services: Services) {
  if (reply.sandbox) return undefined
  renewTemplates(reply.id, db, services)
  const waits = Date.parse(reply.send_at) - Date.parse(reply.created_at)
  if (waits > answeredWithinMs) return await current(reply, db)
  await services(sentWatch).wait(reply.id, waits + services(settings).waitMs)
  return await current(reply, db)
}

async function current<Reply extends { id: string }>(reply: Reply, db: DatabasePool) {
  const [row] = await rows.findMany(db, [reply.id])
  if (!row) return undefined
  const { status, error } = row
  if (status === 'unknown' && error) throw toSendProblem(error, row.id)
  // WhatsApp decided not to deliver the message. The request is valid, but the message must not be sent again.
  if (status === 'failed' && error && error.code !== 'not_delivered') return toSendProblem(error, row.id)
  return { ...reply, ...present(row) }
}

/** Refreshes the local copy, so that the next message is checked with the current templates. */
function renewTemplates(messageId: string, db: DatabasePool, services: Services): void {
  accountOf(messageId, db, services)
    .then((account) => account && services(templateCopy).renew(account))
    .catch((error: unknown) => {
      if (!(error instanceof Problem)) log.warn({ err: error }, 'could not refresh templates')
    })
}

async function accountOf(messageId: string, db: DatabasePool, services: Services): Promise<CopiedAccount | undefined> {
  const [row] = await rows.findMany(db, [messageId])
  if (row?.number_id) {
    const number = await numbers.findAny(db, row.number_id)
    return number?.state === 'connected' ? { accountId: number.account_id, numberId: number.id } : undefined
  }
  const { accountId } = services(settings)
  return accountId === undefined ? undefined : { accountId, numberId: null }
}
