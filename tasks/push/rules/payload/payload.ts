import type { Content } from '#sql/push/messages.ts'
import type { PushCredential } from '../../engine.ts'
import { receiptCharacters } from '../receipt-token.ts'
import { createApnsPayload } from './apns.ts'
import { createFcmPayload } from './fcm.ts'
import type { DeliveryMarks, PayloadParts } from './parts.ts'
import { selectText } from './text.ts'
import { createWebpushPayload } from './webpush.ts'

type PushProvider = PushCredential['provider']

const builders: Record<PushProvider, (parts: PayloadParts) => Record<string, unknown>> = {
  apns: createApnsPayload,
  fcm: createFcmPayload,
  webpush: createWebpushPayload,
}

export function createPayload(provider: PushProvider, content: Content, locale: string | null, marks: DeliveryMarks) {
  const override = content.overrides?.[provider]
  return builders[provider]({ text: selectText(content, locale), marks, parts: content, override })
}

/**
 * Maximum payload size of each provider in bytes: Apple’s 4 KB, FCM’s 4,096, and the plain text that fits into RFC
 * 8188’s record of 4,096.
 */
export const payloadLimits: Record<PushProvider, number> = { apns: 4_096, fcm: 4_096, webpush: 3_993 }

const uuid = '00000000-0000-7000-8000-000000000000'
const sampleMarks: DeliveryMarks = { message_id: uuid, delivery_id: uuid, receipt: '-'.repeat(receiptCharacters) }

export interface Oversize {
  provider: PushProvider
  bytes: number
  limit: number
  locale?: string
}

export function findOversizes(content: Content): Oversize[] {
  const locales = content.texts ? Object.keys(content.texts) : [undefined]
  return (Object.keys(builders) as PushProvider[]).flatMap((provider) => {
    const limit = payloadLimits[provider]
    const sizes = locales.map((locale) => {
      const payload = createPayload(provider, content, locale ?? null, sampleMarks)
      return { provider, limit, bytes: Buffer.byteLength(JSON.stringify(payload)), ...(locale && { locale }) }
    })
    const largest = sizes.reduce((a, b) => (b.bytes > a.bytes ? b : a))
    return largest.bytes > limit ? [largest] : []
  })
}
