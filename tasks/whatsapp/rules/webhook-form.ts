import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'

/** Last second of the year 9999, the latest that Postgres accepts in JavaScript's format. */
const lastSecond = 253_402_300_799

const UnixTime = z
  .union([
    z
      .string()
      .regex(/^\d{1,12}$/)
      .transform(Number),
    z.number(),
  ])
  .pipe(z.int().min(0).max(lastSecond))
  .transform((seconds) => new Date(seconds * 1_000))

const WaId = z.string().regex(/^\d{5,20}$/)

const InboundMessage = z.looseObject({
  from: WaId,
  id: z.string().min(1).max(500),
  timestamp: UnixTime,
  type: z.string().max(50).default('unsupported'),
  context: z
    .looseObject({ id: z.string().max(500).optional() })
    .optional()
    .catch(undefined),
})

const StatusUpdate = z.object({
  id: z.string().min(1).max(500),
  status: z.enum(['sent', 'delivered', 'read', 'played', 'failed']),
  timestamp: UnixTime,
  biz_opaque_callback_data: z.string().max(512).optional().catch(undefined),
  errors: z
    .array(z.looseObject({ code: z.number() }))
    .optional()
    .catch(undefined),
})

export type InboundMessage = z.infer<typeof InboundMessage>

export type StatusUpdate = z.infer<typeof StatusUpdate>

const Change = z.looseObject({ field: z.string(), value: z.looseObject({}).default({}) })

const Envelope = z.object({
  object: z.literal('whatsapp_business_account'),
  entry: z.array(z.unknown()).default([]),
})

const Entry = z.looseObject({
  id: z.string().optional().catch(undefined),
  changes: z.array(z.unknown()).default([]),
})

const TemplateStatus = z.looseObject({
  event: z.string().regex(/^[A-Z_]{1,50}$/),
  message_template_id: z.union([z.string().min(1).max(100), z.number().transform(String)]),
  reason: z.string().max(1_000).nullish().catch(null),
})

export type TemplateStatus = z.infer<typeof TemplateStatus>

const Messages = z.looseObject({
  metadata: z.looseObject({ phone_number_id: z.string() }),
  // An invalid list does not affect the others.
  messages: z.array(z.unknown()).catch([]),
  statuses: z.array(z.unknown()).catch([]),
})

/** Updates of a Cloud API webhook for a business number. Unknown parts are omitted, and their IDs are listed. */
export interface WebhookContent {
  heard: InboundMessage[]
  told: StatusUpdate[]
  templatesChanged: boolean
  reviewed: TemplateStatus[]
  /** IDs of parts that cannot be parsed, where available. */
  leftOut: (string | null)[]
}

export interface OwnIds {
  phoneNumberId: string | undefined
  accountId: string | undefined
}

export const emptyContent = (): WebhookContent => ({
  heard: [],
  told: [],
  templatesChanged: false,
  reviewed: [],
  leftOut: [],
})

/** Maximum number of messages, status updates and changes per webhook. The Cloud API sends up to 1,000. */
export const maxParts = 1_000

export const partCount = ({ heard, told, reviewed, leftOut }: WebhookContent): number =>
  1 + heard.length + told.length + reviewed.length + leftOut.length

function requireFewParts(content: WebhookContent, more: number): void {
  if (partCount(content) + more <= maxParts) return
  throw badRequest([{ field: 'body', issue: `must have at most ${maxParts} messages, status updates and changes` }])
}

/**
 * Parses a webhook without updates of other numbers and accounts. Returns `null` if it is not from the Cloud API.
 * Throws 400 for too many parts.
 */
export function parseWebhook(body: unknown, { phoneNumberId, accountId }: OwnIds): WebhookContent | null {
  const envelope = Envelope.safeParse(body)
  if (!envelope.success) return null
  const content = emptyContent()
  const changes = envelope.data.entry.flatMap((entry) => {
    const parsed = Entry.safeParse(entry).data
    return (parsed?.changes ?? [undefined]).map((given) => ({ given, entryId: parsed?.id }))
  })
  requireFewParts(content, changes.length)
  for (const { given, entryId } of changes) {
    const change = Change.safeParse(given)
    if (change.data?.field.startsWith('message_template_')) {
      content.templatesChanged = true
      const isOwn = accountId !== undefined && entryId === accountId
      const isStatus = change.data.field === 'message_template_status_update'
      const told = isOwn && isStatus ? TemplateStatus.safeParse(change.data.value).data : undefined
      if (told) content.reviewed.push(told)
    } else if (change.data?.field === 'messages') readMessages(change.data.value, phoneNumberId, content)
    else content.leftOut.push(null)
  }
  return content
}

function readMessages(value: unknown, phoneNumberId: string | undefined, content: WebhookContent): void {
  const parsed = Messages.safeParse(value)
  if (!parsed.success || parsed.data.metadata.phone_number_id !== phoneNumberId) {
    content.leftOut.push(null)
    return
  }
  collect(parsed.data.messages, InboundMessage, content.heard, content)
  collect(parsed.data.statuses, StatusUpdate, content.told, content)
}

function collect<S extends z.ZodType>(
  given: readonly unknown[],
  schema: S,
  into: z.output<S>[],
  content: WebhookContent,
): void {
  requireFewParts(content, given.length)
  for (const one of given) {
    const id = idOf(one)
    // Parts without an ID skip the schema, because a body may have thousands of them.
    const parsed = id === null ? undefined : schema.safeParse(one)
    if (parsed?.success) into.push(parsed.data)
    else content.leftOut.push(id)
  }
}

function idOf(item: unknown): string | null {
  if (typeof item !== 'object' || item === null || !('id' in item)) return null
  const { id } = item
  return typeof id === 'string' && id !== '' && id.length <= 500 ? id : null
}
