import type { Logger } from 'pino'
import { Id } from '#lib/ids.ts'
import { isClosedOrganisationError } from '#sql/account/closures.ts'
import { type DatabasePool, type Db, isDataFault, isDisconnected, isUnconnected } from '#sql/db.ts'
import type * as numbers from '#sql/whatsapp/business-numbers.ts'
import type * as messages from '#sql/whatsapp/messages.ts'
import * as known from '#sql/whatsapp/number-contacts.ts'
import * as statuses from '#sql/whatsapp/statuses.ts'
import * as templates from '#sql/whatsapp/templates.ts'
import { acceptMessages } from './accept-messages.ts'
import { emitTemplates } from './emit-templates.ts'
import { canFallBack, toReportedError } from './error-table.ts'
import { recordInbound, recordOwnInbound } from './inbound.ts'
import { recordStatuses } from './record-statuses.ts'
import { emptyContent, type StatusUpdate, type TemplateStatus, type WebhookContent } from './webhook-form.ts'

export interface WebhookContext {
  db: DatabasePool
  phoneNumberId: string
  accountId: string | undefined
  /** The organisation’s own number. `null` for the platform’s number. */
  number: numbers.Facts | null
  log: Logger
}

/**
 * Stores the updates of a webhook. Webhooks can be repeated and arrive in any order, so known updates change nothing.
 * Uses one transaction. If Postgres rejects a part, uses one transaction per part and skips the rejected part.
 */
export async function recordWebhook(content: WebhookContent, ground: WebhookContext): Promise<void> {
  const { db } = ground
  try {
    await db.transaction((tx) => recordAll(tx, content, ground))
  } catch (error) {
    if (isDisconnected(error) || isUnconnected(error)) throw error
    const parts = partsOf(content)
    if (parts.length > 1) {
      const faults: unknown[] = []
      for (const part of parts) {
        await recordWebhook(part, ground).catch((fault: unknown) => faults.push(fault))
      }
      if (faults.length > 0) throw faults[0]
      return
    }
    skipPart(error, content, ground)
  }
}

/**
 * Throws temporary errors, because Meta repeats a webhook unless the response is 200. Skips parts for a closed
 * organisation.
 */
function skipPart(error: unknown, { heard, told }: WebhookContent, { log }: WebhookContext): void {
  if (isClosedOrganisationError(error)) {
    log.info('skipped a part of a WhatsApp webhook for a closed organisation')
    return
  }
  if (!isUnstorable(error)) throw error
  const ids = [...heard, ...told].map(({ id }) => id)
  log.error({ messages: ids, fault: (error as Error).name }, 'could not store a part of a WhatsApp webhook')
}

/** True if Postgres cannot store the value. A retry would fail again. */
const isUnstorable = (error: unknown) => isDataFault(error) || error instanceof RangeError || error instanceof TypeError

function partsOf({ heard, told, templatesChanged, reviewed }: WebhookContent): WebhookContent[] {
  const nothing = emptyContent()
  return [
    ...heard.map((one) => ({ ...nothing, heard: [one] })),
    ...told.map((one) => ({ ...nothing, told: [one] })),
    ...reviewed.map((one) => ({ ...nothing, reviewed: [one] })),
    ...(templatesChanged ? [{ ...nothing, templatesChanged }] : []),
  ]
}

async function recordAll(tx: Db, { heard, told, templatesChanged, reviewed }: WebhookContent, ground: WebhookContext) {
  const { number, phoneNumberId, accountId } = ground
  await (number ? recordOwnInbound(tx, heard, number) : recordInbound(tx, heard, phoneNumberId))
  await recordTold(tx, told, number?.id ?? null)
  if (accountId === undefined) return
  for (const one of reviewed) await recordReviewed(tx, accountId, one)
  if (templatesChanged) await templates.markOutdated(tx, accountId)
}

async function recordReviewed(tx: Db, accountId: string, told: TemplateStatus): Promise<void> {
  const { message_template_id: providerId, event: status, reason } = told
  const why = reason && reason !== 'NONE' ? reason : null
  const changed = await templates.updateReviewStatus(tx, accountId, { providerId, status, reason: why })
  if (changed) await emitTemplates(tx, accountId, [changed])
}

async function recordTold(tx: Db, told: readonly StatusUpdate[], numberId: string | null): Promise<void> {
  if (told.length === 0) return
  const byWamid = await statuses.findIds(
    tx,
    told.map(({ id }) => id),
  )
  const reports = told.flatMap((one) => {
    const ours = Id.safeParse(one.biz_opaque_callback_data).data
    const id = byWamid.get(one.id) ?? ours
    return id === undefined ? [] : [statusReportOf(one, id)]
  })
  const own = await statuses.filterSentBy(
    tx,
    numberId,
    reports.map(({ id }) => id),
  )
  const changed = await recordStatuses(
    tx,
    reports.filter(({ id }) => own.has(id)),
  )
  for (const message of changed) if (message.status === 'failed') await recordFailure(tx, message)
}

const statusReportOf = ({ id: wamid, status, timestamp, errors }: StatusUpdate, id: string): statuses.StatusReport => ({
  id,
  wamid,
  at: timestamp,
  // A played voice message counts as read.
  status: status === 'played' ? 'read' : status,
  error: status === 'failed' ? toReportedError(errors?.[0]?.code ?? null) : null,
})

/**
 * The API may accept a message and later report that the window is closed. Then the template of the message is sent.
 */
async function recordFailure(tx: Db, message: messages.Message): Promise<void> {
  const { error, fallback } = message
  if (error?.provider_code === 131047) await known.close(tx, message, message.created_at)
  if (!fallback || !error || !canFallBack(error)) return
  await acceptMessages(tx, [
    {
      org_id: message.org_id,
      phone: message.phone,
      type: 'template',
      content: fallback,
      fallback_of: message.id,
      client_reference: message.client_reference,
    },
  ])
}
