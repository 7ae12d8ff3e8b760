import type { StreamRecord } from '#tasks/account/rules/streams/engine.ts'
import { isFailedRequest, isRejectedRequest } from './severity.ts'

/** Severities of RFC 5424 §6.2.1. */
const [error, warning, informational] = [3, 4, 6]

/** Printable ASCII without spaces, as the names of RFC 5424 §6 require. */
const toName = (text: string, most: number): string => text.replaceAll(/[^\x21-\x7e]/g, '_').slice(0, most) || '-'

/** Escapes a value of structured data (RFC 5424 §6.3.3). */
const toValue = (text: string): string => text.replaceAll(/["\\\]]/g, (mark) => `\\${mark}`)

/** JSON with only ASCII, so that the message needs no byte order mark (RFC 5424 §6.4). */
const toAscii = (value: unknown): string =>
  JSON.stringify(value).replaceAll(/[\u007f-\uffff]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)

interface Options {
  facility: number
  appName: string
}

/** Returns a record as a message of RFC 5424 in the frame of RFC 5425 §4.3. */
export function toSyslogFrame(record: StreamRecord, { facility, appName }: Options): string {
  const severity = isFailedRequest(record) ? error : isRejectedRequest(record) ? warning : informational
  const header = `<${facility * 8 + severity}>1 ${record.time} millrace ${toName(appName, 48)} - ${toName(record.type, 32)}`
  // 32473 is the enterprise number for examples (RFC 5612). Receivers find the element by its name.
  const data = `[millrace@32473 id="${toValue(record.id)}" source="${record.source}" organisation="${record.organisation_id}"]`
  const message = `${header} ${data} ${toAscii(record)}`
  return `${message.length} ${message}`
}
