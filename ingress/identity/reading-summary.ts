import type { Reading } from '#sql/identity/readings.ts'
import { isExpired, listFailedChecks } from '#tasks/identity/rules/document-told.ts'
import { type Html, quiet } from '../http/html/html.ts'
import { statusBadge } from '../http/html/marks.ts'

export function readingSummary(reading: Reading | undefined): Html {
  if (!reading) return quiet('–')
  if (reading.status === 'waiting') return quiet('pending')
  if (reading.reason !== null) return quiet('not read')
  if (listFailedChecks(reading).length > 0) return statusBadge('failed', { shown: 'checks failed' })
  return isExpired(reading) ? statusBadge('expired') : statusBadge('done', { shown: 'checks passed' })
}
