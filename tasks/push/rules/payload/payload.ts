import type { Content } from '#sql/push/messages.ts'
import type { PushCredential } from '../../engine.ts'
import { receiptLetters } from '../receipt-token.ts'
import { apnsPayload } from './apns.ts'
import { fcmPayload } from './fcm.ts'
import type { Marks, PayloadParts } from './parts.ts'
import { textFor } from './text.ts'
import { webpushPayload } from './webpush.ts'

type PushProvider = PushCredential['provider']

const builders: Record<PushProvider, (parts: PayloadParts) => Record<string, unknown>> = {
  apns: apnsPayload,
  fcm: fcmPayload,
  webpush: webpushPayload,
}

export function payloadFor(provider: PushProvider, content: Content, locale: string | null, marks: Marks) {
  const override = content.overrides?.[provider]
  return builders[provider]({ text: textFor(content, locale), marks, parts: content, override })
}

/**
 * Maximum bytes of each provider: Apple’s 4 KB, FCM’s 4,096, and the plain text that fits into RFC 8188’s record of
 * 4,096.
 */
export const payloadLimits: Record<PushProvider, number> = { apns: 4_096, fcm: 4_096, webpush: 3_993 }

const uuid = '00000000-0000-7000-8000-000000000000'
const sampleMarks: Marks = { message_id: uuid, delivery_id: uuid, receipt: '-'.repeat(receiptLetters) }

export interface Oversize {
  provider: PushProvider
  bytes: number
  limit: number
  locale?: string
}

export function oversizes(content: Content): Oversize[] {
  const locales = content.texts ? Object.keys(content.texts) : [undefined]
  return (Object.keys(builders) as PushProvider[]).flatMap((provider) => {
    const limit = payloadLimits[provider]
    const sizes = locales.map((locale) => {
      const payload = payloadFor(provider, content, locale ?? null, sampleMarks)
      return { provider, limit, bytes: Buffer.byteLength(JSON.stringify(payload)), ...(locale && { locale }) }
    })
    const largest = sizes.reduce((a, b) => (b.bytes > a.bytes ? b : a))
    return largest.bytes > limit ? [largest] : []
  })
}
