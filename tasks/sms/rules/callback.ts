import type { StatusReport } from '#sql/sms/statuses.ts'

/** Report of a provider about a sent message. */
export interface ReportedStatus {
  /** ID that Millrace gave the provider. */
  id: string | undefined
  providerMessageId: string | undefined
  status: Exclude<StatusReport['status'], 'unknown'>
  code: string | null
}

/** Message of a person, as the provider reported it. */
export interface ReportedText {
  providerMessageId: string | null
  from: string
  to: string | null
  text: string
}

/** A callback as received, before its signature is checked. */
export interface ReceivedCallback {
  /** URLs by which the provider may know this address. */
  urls: readonly string[]
  header(name: string): string | undefined
  body: Buffer
  /** ID in the query of the URL. */
  messageId: string | undefined
}

export interface CallbackReader {
  /** True if the callback is from the provider. */
  isSigned(callback: ReceivedCallback): boolean
  /** Returns undefined for a report that changes no status, and for a form that is not known. */
  readStatus(callback: ReceivedCallback): ReportedStatus | undefined
  readText(callback: ReceivedCallback): ReportedText | undefined
}
