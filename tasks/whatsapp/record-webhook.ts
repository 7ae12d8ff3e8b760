import { Id, newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as contacts from '#sql/whatsapp/contacts.ts'
import * as messages from '#sql/whatsapp/messages.ts'
import * as statuses from '#sql/whatsapp/statuses.ts'
import * as templates from '#sql/whatsapp/templates.ts'
import { acceptMessages } from './accept-messages.ts'
import { mayFallBack, toldError } from './error-table.ts'
import type { Heard, Told, WebhookContent } from './webhook-form.ts'

/** What people see of themselves; no message of theirs, so it opens no window. */
const noMessages = new Set(['system', 'request_welcome'])

/**
 * Records what a webhook tells, in the caller's transaction. Webhooks come more than once and in any order: what is known already changes
 * nothing.
 */
export async function recordWebhook(tx: Db, { heard, told, templatesChanged }: WebhookContent): Promise<void> {
  await recordHeard(
    tx,
    heard.filter(({ type }) => !noMessages.has(type)),
  )
  await recordTold(tx, told)
  if (templatesChanged) await templates.outdate(tx)
}

async function recordHeard(tx: Db, heard: readonly Heard[]): Promise<void> {
  const latest = new Map<string, Date>()
  for (const { from, timestamp } of heard) {
    if (timestamp > (latest.get(from) ?? 0)) latest.set(from, timestamp)
  }
  await contacts.hear(tx, latest)
  const asked = heard.map(({ id, from, context }) => ({ id, waId: from, quoted: context?.id ?? null }))
  const owners = await messages.ownersOf(tx, asked)
  // One that nobody wrote to has nobody here to be read by: of such a person, no word is kept.
  const made = heard.flatMap((one) => {
    const orgId = owners.get(one.id)
    return orgId === undefined ? [] : [inboundOf(one, orgId)]
  })
  await messages.insertMany(
    tx,
    made.sort((a, b) => ((a.provider_message_id ?? '') < (b.provider_message_id ?? '') ? -1 : 1)),
  )
}

function inboundOf(one: Heard, orgId: string): messages.NewMessage {
  const { id, from, type, timestamp, context } = one
  const content = one[type]
  const at = new Date(Math.min(timestamp.getTime(), Date.now())).toISOString()
  return {
    ...{ id: newId(), org_id: orgId, direction: 'inbound', phone: `+${from}`, wa_id: from, type, status: 'received' },
    content: typeof content === 'object' && content !== null ? (content as Record<string, unknown>) : {},
    ...{ context_message_id: context?.id ?? null, provider_message_id: id, send_at: at, created_at: at },
  }
}

async function recordTold(tx: Db, told: readonly Told[]): Promise<void> {
  if (told.length === 0) return
  const byWamid = await statuses.idsOf(
    tx,
    told.map(({ id }) => id),
  )
  const changed = await statuses.record(
    tx,
    told.flatMap((one) => {
      const ours = Id.safeParse(one.biz_opaque_callback_data).data
      const id = byWamid.get(one.id) ?? ours
      return id === undefined ? [] : [toldOf(one, id)]
    }),
  )
  for (const message of changed) if (message.status === 'failed') await recordFailure(tx, message)
}

const toldOf = ({ id: wamid, status, timestamp, errors }: Told, id: string): statuses.Told => ({
  ...{ id, wamid, at: timestamp },
  // A voice message that was played has been read.
  status: status === 'played' ? 'read' : status,
  error: status === 'failed' ? toldError(errors?.[0]?.code ?? null) : null,
})

/** The API may take a message and tell only later that the window was closed: its template goes out then. */
async function recordFailure(tx: Db, message: messages.Message): Promise<void> {
  const { error, fallback } = message
  if (error?.provider_code === 131047) await contacts.close(tx, message.wa_id, message.created_at)
  if (!fallback || !error || !mayFallBack(error)) return
  await acceptMessages(tx, [
    {
      ...{ orgId: message.org_id, phone: message.phone, type: 'template', content: fallback, fallback: undefined },
      ...{ fallbackOf: message.id, contextMessageId: undefined },
      clientReference: message.client_reference ?? undefined,
    },
  ])
}
