import { newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import { keepTestMessages } from '../../account/rules/test-messages.ts'
import { emitMany } from '../../webhooks/rules/emit.ts'
import type { MessageRequest } from './accept-messages.ts'
import { countSegments } from './segments.ts'

export interface TestMessageRequest {
  keyId: string
  message: MessageRequest
}

const statuses = ['sent', 'delivered'] as const

/**
 * Stores messages of test keys in the test inbox as delivered and sends their webhooks. Returns the API responses. No
 * provider is needed, and opt-outs, countries and budgets do not change.
 */
export async function storeTestMessages(tx: Db, wanted: readonly TestMessageRequest[]) {
  const records = wanted.map(({ message }) => recordOf(message))
  await keepTestMessages(
    tx,
    wanted.map(({ keyId, message }, i) => ({
      id: records[i]?.id as string,
      orgId: message.org_id,
      keyId,
      channel: 'sms',
      recipient: message.phone,
      title: message.text,
      content: { text: message.text },
      record: records[i] as object as Record<string, unknown>,
    })),
  )
  await emitMany(
    tx,
    wanted.flatMap(({ message: { org_id: orgId, phone: to } }, i) => {
      const { id, from, segments, client_reference } = records[i] as ReturnType<typeof recordOf>
      return statuses.map((status) => ({
        orgId,
        type: `sms.message.${status}` as const,
        data: { id, to, from, status, segments, error: null, client_reference, sandbox: true as const },
      }))
    }),
  )
  return records
}

function recordOf({ phone, text, sender, client_reference, is_sensitive }: MessageRequest) {
  const [id, now] = [newId(), new Date().toISOString()]
  return {
    id,
    direction: 'outbound' as const,
    to: phone,
    from: sender ?? null,
    text: is_sensitive ? null : text,
    sensitive: is_sensitive ?? false,
    ...countSegments(text),
    keyword: null,
    status: 'delivered' as const,
    error: null,
    provider_id: null,
    provider_message_id: `test-${id}`,
    client_reference: client_reference ?? null,
    created_at: now,
    sent_at: now,
    statuses: statuses.map((status) => ({ status, at: now, error: null })),
    sandbox: true as const,
  }
}
