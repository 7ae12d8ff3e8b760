import { z } from 'zod'

/** Seconds since 1970, as text or as a number. */
const At = z
  .union([z.string().regex(/^\d{1,12}$/), z.int().nonnegative()])
  .transform((seconds) => new Date(Number(seconds) * 1_000))

const WaId = z.string().regex(/^\d{5,20}$/)

const Heard = z.looseObject({
  from: WaId,
  id: z.string().min(1).max(500),
  timestamp: At,
  type: z.string().max(50).default('unsupported'),
  context: z.looseObject({ id: z.string().max(500).optional() }).optional(),
})

const Told = z.object({
  id: z.string().min(1).max(500),
  status: z.enum(['sent', 'delivered', 'read', 'played', 'failed']),
  timestamp: At,
  biz_opaque_callback_data: z.string().max(512).optional(),
  errors: z.array(z.looseObject({ code: z.number() })).optional(),
})

/** What a person wrote. */
export type Heard = z.infer<typeof Heard>

/** What became of a message. */
export type Told = z.infer<typeof Told>

const Change = z.looseObject({ field: z.string(), value: z.looseObject({}).default({}) })

const Envelope = z.object({
  object: z.literal('whatsapp_business_account'),
  entry: z.array(z.looseObject({ changes: z.array(z.unknown()).default([]) })).default([]),
})

const Messages = z.looseObject({
  metadata: z.looseObject({ phone_number_id: z.string() }),
  messages: z.array(z.unknown()).default([]),
  statuses: z.array(z.unknown()).default([]),
})

/** What a webhook of the Cloud API tells of a business number; what this platform does not know is left out and counted. */
export interface WebhookContent {
  heard: Heard[]
  told: Told[]
  /** A template was changed, approved, paused or the like. */
  templatesChanged: boolean
  leftOut: number
}

/** Reads the body of a webhook; null for one that is none of the Cloud API. */
export function readWebhook(body: unknown, phoneNumberId: string | undefined): WebhookContent | null {
  const envelope = Envelope.safeParse(body)
  if (!envelope.success) return null
  const content: WebhookContent = { heard: [], told: [], templatesChanged: false, leftOut: 0 }
  for (const given of envelope.data.entry.flatMap(({ changes }) => changes)) {
    const change = Change.safeParse(given)
    if (change.data?.field.startsWith('message_template_')) content.templatesChanged = true
    else if (change.data?.field === 'messages') readMessages(change.data.value, phoneNumberId, content)
    else content.leftOut++
  }
  return content
}

function readMessages(value: unknown, phoneNumberId: string | undefined, content: WebhookContent): void {
  const parsed = Messages.safeParse(value)
  if (!parsed.success || parsed.data.metadata.phone_number_id !== phoneNumberId) {
    content.leftOut++
    return
  }
  collect(parsed.data.messages, Heard, content.heard, content)
  collect(parsed.data.statuses, Told, content.told, content)
}

function collect<S extends z.ZodType>(
  given: readonly unknown[],
  schema: S,
  into: z.output<S>[],
  content: WebhookContent,
): void {
  for (const one of given) {
    const parsed = schema.safeParse(one)
    if (parsed.success) into.push(parsed.data)
    else content.leftOut++
  }
}
