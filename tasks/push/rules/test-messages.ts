import { newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import { type Content, fill } from '#sql/push/messages.ts'
import { keepTestMessages } from '../../account/rules/test-messages.ts'
import type { MessageRequest } from './accept-messages.ts'
import { presentTarget } from './target-of.ts'

export interface TestMessageRequest extends MessageRequest {
  keyId: string | null
}

/** A test message. It immediately counts as sent to one device. */
export interface EndedTestMessage {
  id: string
  status: 'sent'
}

/** Stores messages of test keys in the test inbox, in order. The messages are not counted and not sent to providers. */
export async function keepTestPushes(tx: Db, wanted: readonly TestMessageRequest[]): Promise<EndedTestMessage[]> {
  const ended = wanted.map((one) => ({ one, id: newId() }))
  await keepTestMessages(
    tx,
    ended.map(({ one, id }) => ({
      id,
      orgId: one.message.org_id,
      keyId: one.keyId,
      channel: 'push',
      recipient: recipientOf(one),
      title: titleOf(one.message.content),
      content: { ...one.message.content },
      record: recordOf(id, one),
    })),
  )
  return ended.map(({ id }) => ({ id, status: 'sent' }))
}

function titleOf({ title, body, texts, default_locale }: Content): string {
  const text = texts?.[default_locale ?? '']
  return title ?? text?.title ?? body ?? text?.body ?? 'Data only'
}

function recipientOf({ message: { target, user_id, audience } }: TestMessageRequest): string {
  if (target === 'user') return user_id ?? ''
  const { users, topic } = audience ?? {}
  return users ? counted(users.length) : topic === undefined ? target : `topic ${topic}`
}

const counted = (people: number): string => (people === 1 ? '1 person' : `${people} people`)

function recordOf(id: string, { message, ttl }: TestMessageRequest) {
  const { org_id: _, user_id, audience, target, content, ...shown } = fill(message)
  const now = new Date().toISOString()
  return {
    id,
    ...shown,
    target: presentTarget({ target, user_id, audience }),
    status: 'sent',
    counts: {
      devices: 1,
      queued: 0,
      sent: 1,
      delivered: 1,
      displayed: 0,
      opened: 0,
      failed: 0,
      expired: 0,
      cancelled: 0,
    },
    template: content.template ?? null,
    created_at: now,
    send_at: now,
    expires_at: new Date(Date.now() + ttl * 1_000).toISOString(),
    ended_at: now,
    sandbox: true as const,
  }
}
