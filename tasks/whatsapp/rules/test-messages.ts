import { newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import { fill, type GivenMessage } from '#sql/whatsapp/messages.ts'
import { keepTestMessages } from '../../account/rules/test-messages.ts'
import { emitMany } from '../../webhooks/rules/emit.ts'

export interface TestMessageRequest {
  keyId: string
  message: GivenMessage
}

const statuses = ['accepted', 'sent', 'delivered'] as const

/**
 * Stores messages of test keys in the test inbox as delivered and sends their webhooks. Returns the API responses.
 * Recipients count as having written. Windows, pacing and budgets do not change.
 */
export async function storeTestMessages(tx: Db, wanted: readonly TestMessageRequest[]) {
  const records = wanted.map(({ message }) => recordOf(message))
  await keepTestMessages(
    tx,
    wanted.map(({ keyId, message }, i) => ({
      id: records[i]?.id as string,
      orgId: message.org_id,
      keyId,
      channel: 'whatsapp',
      recipient: message.phone,
      title: titleOf(message),
      content: { type: message.type, [message.type]: message.content },
      record: records[i] as object as Record<string, unknown>,
    })),
  )
  await emitMany(
    tx,
    wanted.flatMap(({ message: { org_id: orgId, phone: to, client_reference = null } }, i) =>
      statuses.map((status) => ({
        orgId,
        type: `whatsapp.message.${status}` as const,
        data: {
          id: records[i]?.id as string,
          to,
          status,
          error: null,
          client_reference,
          sandbox: true as const,
        },
      })),
    ),
  )
  return records
}

function titleOf({ type, content }: GivenMessage): string {
  const { body, caption, name } = content as { body?: unknown; caption?: unknown; name?: unknown }
  const words = [type === 'text' ? body : undefined, caption, type === 'template' ? name : undefined]
  const said = words.find((one) => typeof one === 'string')
  return type === 'text' && said !== undefined ? said : [type, said].filter(Boolean).join(': ')
}

function recordOf(message: GivenMessage) {
  const { org_id: _, phone, fallback, context_message_id, ...shown } = fill(message)
  const [id, now] = [newId(), new Date().toISOString()]
  return {
    id,
    provider_message_id: `wamid.test.${id}`,
    direction: 'outbound' as const,
    to: phone,
    from: null,
    wa_id: phone.slice(1),
    ...shown,
    status: 'delivered' as const,
    error: null,
    fallback: false,
    context: context_message_id === null ? null : { message_id: context_message_id },
    send_at: now,
    created_at: now,
    window: { open: true, expires_at: null },
    statuses: statuses.map((status) => ({ status, at: now, error: null })),
    sandbox: true as const,
  }
}
