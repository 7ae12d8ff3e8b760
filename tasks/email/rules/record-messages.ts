import { getDomain } from '#lib/email-address.ts'
import type { Db } from '#sql/db.ts'
import * as daily from '#sql/email/daily.ts'
import type { Outcome } from '#sql/email/delivery/outcomes.ts'
import * as messages from '#sql/email/messages.ts'
import * as sandboxes from '#sql/email/sandbox.ts'
import { isSimulated } from '#sql/email/simulator.ts'
import { keepTestMessages } from '../../account/rules/test-messages.ts'
import { enqueueMany } from '../../queue/enqueue.ts'
import { emitMany } from '../../webhooks/rules/emit.ts'
import { addDeliveries } from './add-deliveries.ts'
import { messageEvent, recordOutcomes } from './record-outcomes.ts'
import { scheduledTask } from './scheduled-task.ts'

/** `end`: final status and reason of a message that is never delivered. */
export interface NewMail {
  row: messages.NewMessage
  end?: 'sent' | 'suppressed' | undefined
  reason?: string | undefined
  /** Size of the content in bytes. Set for test keys if the content is not shared. */
  bytes?: number
}

export async function recordMessages(tx: Db, mails: readonly NewMail[]): Promise<void> {
  await messages.insertMany(
    tx,
    mails.map(({ row }) => row),
  )
  await sandboxes.recordStored(
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
  const waiting = mails.flatMap(({ row, end }) => (end ? [] : [row]))
  const queued = waiting.filter(({ status }) => status === 'queued')
  await addDeliveries(
    tx,
    queued.map(({ id, org_id, stream, to_email }) => ({
      messageId: id,
      orgId: org_id,
      stream,
      toDomain: getDomain(to_email),
    })),
  )
  await schedule(
    tx,
    waiting.filter(({ status }) => status === 'scheduled'),
  )
  const day = new Date().toISOString().slice(0, 10)
  await daily.count(
    tx,
    waiting
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

/** Adds jobs that release messages: one job for all messages of an organisation with the same time. */
async function schedule(tx: Db, rows: readonly messages.NewMessage[]): Promise<void> {
  const jobs = new Map(
    rows.flatMap(({ org_id, send_at }) =>
      send_at ? [[`${org_id} ${send_at}`, { orgId: org_id, at: new Date(send_at) }] as const] : [],
    ),
  )
  // In a fixed order, so that transactions with common keys wait instead of deadlocking.
  const sorted = [...jobs].sort(([a], [b]) => (a < b ? -1 : 1))
  await enqueueMany(
    tx,
    scheduledTask,
    sorted.map(([, { orgId }]) => ({ orgId })),
    (i) => {
      const [key, { orgId, at }] = sorted[i] as (typeof sorted)[number]
      return { key, orgId, at }
    },
  )
}
