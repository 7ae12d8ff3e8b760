import type { Content } from '#sql/push/messages.ts'
import type { DeviceText } from './text.ts'

/** By what a device tells which delivery it reports. */
export interface Marks {
  message_id: string
  delivery_id: string
  /** Proves that the delivery is the device's own (tasks/push/rules/receipt-token.ts). */
  receipt: string
}

export interface PayloadParts {
  text: DeviceText
  marks: Marks
  /** What the message says beside its text, on every platform and on each. */
  parts: Pick<Content, 'actions' | 'badge' | 'sound' | 'ios' | 'android' | 'web'>
  /** What the message says for this provider alone; it has the last word. */
  override: Readonly<Record<string, unknown>> | undefined
}
