import { newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import { keepTestMessages } from '../../account/rules/test-messages.ts'
import { emitMany } from '../../webhooks/rules/emit.ts'
import type { MessageRequest } from './accept-messages.ts'

export interface TestMessageRequest extends MessageRequest {
  keyId: string
}

const statuses = ['accepted', 'sent', 'delivered'] as const

/**
 * Stores messages of test keys in the test inbox as delivered and sends their webhooks. Returns the API responses.
 * Recipients count as having written. Windows, pacing and budgets do not change.
 */
export async function storeTestMessages(tx: Db, wanted: readonly TestMessageRequest[]) {
  const records = wanted.map(recordOf)
  await keepTestMessages(
    tx,
    wanted.map((one, i) => ({
      id: records[i]?.id as string,
      orgId: one.orgId,
      keyId: one.keyId,
      channel: 'whatsapp',
      recipient: one.phone,
      title: titleOf(one),
      content: { type: one.type, [one.type]: one.content },
      record: records[i] as object as Record<string, unknown>,
    })),
  )
  await emitMany(
    tx,
    wanted.flatMap(({ orgId, phone: to, clientReference }, i) =>
      statuses.map((status) => ({
        orgId,
        type: `whatsapp.message.${status}` as const,
        data: {
          id: records[i]?.id as string,
          to,
          status,
          error: null,
          client_reference: clientReference ?? null,
          sandbox: true as const,
        },
      })),
    ),
  )
  return records
}

function titleOf({ type, content }: MessageRequest): string {
  const { body, caption, name } = content as { body?: unknown; caption?: unknown; name?: unknown }
  const words = [type === 'text' ? body : undefined, caption, type === 'template' ? name : undefined]
  const said = words.find((one) => typeof one === 'string')
  return type === 'text' && said !== undefined ? said : [type, said].filter(Boolean).join(': ')
}

function recordOf({ phone, type, content, contextMessageId, clientReference }: TestMessageRequest) {
  const [id, now] = [newId(), new Date().toISOString()]
  return {
    id,
    provider_message_id: `wamid.test.${id}`,
    direction: 'outbound' as const,
    to: phone,
    from: null,
    wa_id: phone.slice(1),
    type,
    content,
    status: 'delivered' as const,
    error: null,
    fallback: false,
    fallback_of: null,
    context: contextMessageId === undefined ? null : { message_id: contextMessageId },
    client_reference: clientReference ?? null,
    send_at: now,
    created_at: now,
    window: { open: true, expires_at: null },
    statuses: statuses.map((status) => ({ status, at: now, error: null })),
    sandbox: true as const,
  }
}
