import type { Content } from '#sql/push/messages.ts'
import type { DeviceText } from './text.ts'

export interface DeliveryMarks {
  message_id: string
  delivery_id: string
  /** Proves that the delivery belongs to the device (tasks/push/rules/receipt-token.ts). */
  receipt: string
}

export interface PayloadParts {
  text: DeviceText
  marks: DeliveryMarks
  /** Parts in addition to the text, for all platforms and for each platform. */
  parts: Pick<Content, 'actions' | 'badge' | 'sound' | 'ios' | 'android' | 'web'>
  /** Override for this provider. It takes precedence over the parts. */
  override: Readonly<Record<string, unknown>> | undefined
}
