import type { DocumentCheck, Reading, UnreadReason } from '#sql/identity/readings.ts'
import { failedOf, isExpired } from '#tasks/identity/rules/document-told.ts'

/** Why nothing was read, for the person who took the picture. */
export const unreadWords: Readonly<Record<UnreadReason, string>> = {
  reader_unavailable: 'Documents are not read by machine here. Somebody will look at it.',
  reader_failed: 'It could not be read by machine. Somebody will look at it.',
  format_not_read: 'A PDF is not read by machine. Somebody will look at it.',
  unreadable_picture: 'The picture is damaged or cut off. Take another.',
  too_many_pixels: 'The picture is too large. Take one of at most 40 megapixels.',
  too_small: 'The document is too small on the picture. Go closer, so that it fills the picture.',
  blurred: 'The picture is blurred. Hold still, and let the camera focus before you take it.',
  no_lines:
    'No document was found on the picture: the two or three lines of letters and < must be in sight, at the foot of a passport, or on the back of a card.',
  unclear: 'The lines at the foot of the document could not be read. Avoid reflections, and lay the document flat.',
}

/** What checks are called, for people. */
export const checkWords: Readonly<Record<DocumentCheck['check'], string>> = {
  document_number: 'document number',
  birth_date: 'date of birth',
  expiry_date: 'date of expiry',
  optional_data: 'further data',
  composite: 'all lines together',
  dates: 'both dates are days',
}

/** Pictures that another one may be better than. */
const another: readonly (UnreadReason | null)[] = [
  'unreadable_picture',
  'too_many_pixels',
  'too_small',
  'blurred',
  'no_lines',
  'unclear',
]

/** What the person who took a picture is told of it, before it is handed in. */
interface Told {
  outcome: 'read' | 'try_again' | 'not_read'
  code: string | null
  message: string
}

/** What to tell the person of a reading: whether to take another picture, and why. */
export function toldOf(reading: Reading): Told {
  const { status, reason } = reading
  if (status === 'waiting') return { outcome: 'not_read', code: 'waiting', message: 'It is read later.' }
  if (reason !== null) {
    return { outcome: another.includes(reason) ? 'try_again' : 'not_read', code: reason, message: unreadWords[reason] }
  }
  const failed = failedOf(reading)
  if (failed.length > 0) {
    const names = failed.map((check) => checkWords[check]).join(', ')
    const message = `Not all of the lines could be read for sure (${names}). Avoid reflections, and lay the document flat.`
    return { outcome: 'try_again', code: 'checks_failed', message }
  }
  if (isExpired(reading)) {
    const message = `This document ended on ${reading.facts?.expiry_date}. Take one that is still valid.`
    return { outcome: 'try_again', code: 'expired', message }
  }
  return { outcome: 'read', code: null, message: 'The document was read.' }
}
