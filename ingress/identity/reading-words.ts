import type { DocumentCheck, Reading, UnreadReason } from '#sql/identity/readings.ts'
import { isExpired, listFailedChecks } from '#tasks/identity/rules/document-told.ts'

export const unreadMessages: Readonly<Record<UnreadReason, string>> = {
  reader_unavailable: 'Millrace cannot read documents here. A person will check the document.',
  reader_failed: 'Millrace could not read the document. A person will check the document.',
  format_not_read: 'Millrace cannot read PDF files. A person will check the document.',
  unreadable_picture: 'The image is damaged or incomplete. Take another photo.',
  too_many_pixels: 'The image is too large. Take a photo with at most 40 megapixels.',
  too_small: 'The document is too small in the image. Move closer until it fills the image.',
  blurred: 'The image is blurred. Hold the camera still and let it focus first.',
  no_lines:
    'No document was found in the image. Include the two or three lines with letters and <, at the bottom of a passport or on the back of a card. On a licence of the United States or Canada, show the large barcode.',
  barcode_malformed: 'The barcode contains no data of a driving licence. Show the large barcode on the back.',
  unclear: 'The lines at the bottom of the document are unclear. Avoid reflections and lay the document flat.',
}

export const checkNames: Readonly<Record<DocumentCheck['check'], string>> = {
  document_number: 'document number',
  birth_date: 'date of birth',
  expiry_date: 'date of expiry',
  optional_data: 'further data',
  composite: 'all lines together',
  dates: 'valid dates',
  issuer: 'known issuer',
  fields: 'complete fields',
  lines_match: 'barcode and lines are the same',
}

const another: readonly (UnreadReason | null)[] = [
  'unreadable_picture',
  'too_many_pixels',
  'too_small',
  'blurred',
  'no_lines',
  'unclear',
  'barcode_malformed',
]

interface Told {
  outcome: 'read' | 'try_again' | 'not_read'
  code: string | null
  message: string
}

export function readingMessage(reading: Reading): Told {
  const { status, reason } = reading
  if (status === 'waiting') return { outcome: 'not_read', code: 'waiting', message: 'The document will be read later.' }
  if (reason !== null) {
    return {
      outcome: another.includes(reason) ? 'try_again' : 'not_read',
      code: reason,
      message: unreadMessages[reason],
    }
  }
  const failed = listFailedChecks(reading)
  if (failed.length > 0) {
    const names = failed.map((check) => checkNames[check]).join(', ')
    const message = `Some of the lines are unclear (${names}). Avoid reflections and lay the document flat.`
    return { outcome: 'try_again', code: 'checks_failed', message }
  }
  if (isExpired(reading)) {
    const message = `This document expired on ${reading.facts?.expiry_date}. Use a valid document.`
    return { outcome: 'try_again', code: 'expired', message }
  }
  return { outcome: 'read', code: null, message: 'The document was read.' }
}
