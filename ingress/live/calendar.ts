import type { Scheduled } from '#sql/live/scheduled.ts'

/** Maximum length of a line in bytes (RFC 5545 3.1). */
const mostBytes = 75

const escapeText = (text: string): string =>
  text
    .replaceAll('\\', '\\\\')
    .replaceAll(';', '\\;')
    .replaceAll(',', '\\,')
    .replaceAll(/\r\n?|\n/g, '\\n')
    .replaceAll(/\p{Cc}/gu, ' ')

const timeOf = (at: Date): string => `${at.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`

/** Splits a long line. Each further line starts with a space. */
function fold(line: string): string {
  const lines: string[] = ['']
  let bytes = 0
  for (const letter of line) {
    const size = Buffer.byteLength(letter)
    if (bytes + size > mostBytes) {
      lines.push(' ')
      bytes = 1
    }
    lines[lines.length - 1] += letter
    bytes += size
  }
  return lines.join('\r\n')
}

/** Returns a calendar file with a scheduled broadcast. Calendars replace an earlier version of the same broadcast. */
export function calendarOf(one: Scheduled, url: string | undefined): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Millrace//Live//EN',
    'METHOD:PUBLISH',
    'BEGIN:VEVENT',
    `UID:${one.id}@millrace`,
    `SEQUENCE:${one.revision}`,
    `DTSTAMP:${timeOf(one.updated_at)}`,
    `DTSTART:${timeOf(one.starts_at)}`,
    'DURATION:PT1H',
    `SUMMARY:${escapeText(one.title)}`,
    ...(one.description === '' ? [] : [`DESCRIPTION:${escapeText(one.description)}`]),
    ...(url === undefined ? [] : [`URL:${url}`]),
    'END:VEVENT',
    'END:VCALENDAR',
  ]
  return `${lines.map(fold).join('\r\n')}\r\n`
}
