import type { Db } from '#sql/db.ts'
import { findWait, type Wait } from '#sql/email/delivery/deliveries.ts'
import type { Message } from '#sql/email/messages.ts'

export interface Waiting extends Pick<Wait, 'number' | 'pool' | 'since'> {
  until: Date
  /** Class of the reply that caused the wait. Null if the message only waits for its turn. */
  reply_class: string | null
  /** Reason as a sentence. It does not repeat the reply, which may name the recipient of another organisation. */
  reason: string
}

const reasons: Readonly<Record<string, string>> = {
  blocked: 'The receiving server blocks our sending address.',
  complained_about: 'The receiving server defers email from our sending address because its users complained.',
  rate_limited: 'The receiving server limits the amount of email that it accepts from our sending address.',
  closing: 'The receiving server is closing connections.',
  unreachable: 'The receiving server cannot be reached.',
  tls: 'The receiving server does not offer the TLS that is required.',
  warm_up: 'The sending address is new and has reached its limit for today.',
}

export async function findWaiting(
  db: Db,
  message: Pick<Message, 'id' | 'org_id' | 'status' | 'reply_class'>,
): Promise<Waiting | null> {
  if (message.status !== 'queued' && message.status !== 'deferred') return null
  const wait = await findWait(db, message.org_id, message.id)
  return wait && whyOf(wait, message)
}

function whyOf(
  { number, pool, ip_pool, has_worker, since, due_at, suspended_until, suspended_by }: Wait,
  message: Pick<Message, 'reply_class'>,
): Waiting {
  const own = { number, pool, since }
  if (!has_worker)
    return {
      ...own,
      until: due_at,
      reply_class: null,
      reason: `No worker with the addresses of your IP pool ${ip_pool} is running. Millrace sends the message when one starts.`,
    }
  if (suspended_until) {
    const reason = `${reasons[suspended_by ?? ''] ?? 'The receiving server is temporarily not accepting email from our sending address.'} Millrace sends it no email until then.`
    return { ...own, until: later(due_at, suspended_until), reply_class: suspended_by, reason }
  }
  if (due_at.getTime() > Date.now())
    return {
      ...own,
      until: due_at,
      reply_class: message.reply_class,
      reason: 'The last attempt was deferred. Millrace retries then.',
    }
  return {
    ...own,
    until: due_at,
    reply_class: null,
    reason: 'The message is due and is waiting for a connection to the receiving server.',
  }
}

const later = (a: Date, b: Date): Date => (a.getTime() > b.getTime() ? a : b)
