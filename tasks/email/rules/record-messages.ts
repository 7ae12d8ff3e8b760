import { domainOf } from '#lib/email-address.ts'
import type { Db } from '#sql/db.ts'
import * as daily from '#sql/email/daily.ts'
import * as messages from '#sql/email/messages.ts'
import type { Outcome } from '#sql/email/outcomes.ts'
import * as sandboxes from '#sql/email/sandbox.ts'
import { isSimulated } from '#sql/email/simulator.ts'
import { keepTestMessages } from '../../account/rules/test-messages.ts'
import { emitMany } from '../../webhooks/rules/emit.ts'
import { addDeliveries } from './add-deliveries.ts'
import { messageEvent, recordOutcomes } from './record-outcomes.ts'

/** A message about to be recorded as queued; `end` when it never is delivered, and why. */
export interface NewMail {
  row: messages.NewMessage
  end?: 'sent' | 'suppressed' | undefined
  reason?: string | undefined
  /** Of a sandbox key: the size of what it says, where that is its own. */
  bytes?: number
}

/** Records messages whose contents are kept, has those delivered that may be, counts them and tells webhooks. */
export async function recordMessages(tx: Db, mails: readonly NewMail[]): Promise<void> {
  await messages.insertMany(
    tx,
    mails.map(({ row }) => row),
  )
  await sandboxes.keep(
    tx,
    mails.flatMap(({ row: { id, org_id, sandbox }, bytes = 0 }) =>
      sandbox ? [{ message_id: id, org_id, bytes }] : [],
    ),
  )
  await keepTestMessages(
    tx,
    mails.flatMap(({ row: { id, org_id: orgId, key_id: keyId, sandbox, to_email: recipient, subject: title } }) =>
      sandbox ? [{ id, orgId, keyId, channel: 'email', recipient, title, content: null, record: null }] : [],
    ),
  )
  const queued = mails.flatMap(({ row, end }) => (end ? [] : [row]))
  await addDeliveries(
    tx,
    queued.map(({ id, org_id, stream, to_email }) => ({
      messageId: id,
      orgId: org_id,
      stream,
      toDomain: domainOf(to_email),
    })),
  )
  const day = new Date().toISOString().slice(0, 10)
  await daily.count(
    tx,
    queued
      .filter(({ sandbox, to_email }) => !sandbox && !isSimulated(to_email))
      .map(({ org_id, stream }) => ({ org_id, stream, day, accepted: 1 })),
  )
  const accepted = mails.filter(({ end }) => end !== 'suppressed').map(({ row }) => messageEvent(row, 'accepted'))
  await emitMany(tx, accepted)
  const ended = mails.flatMap(({ row, end, reason }): Outcome[] =>
    end ? [{ messageId: row.id, status: end, reason }] : [],
  )
  if (ended.length > 0) await recordOutcomes(tx, ended)
}
