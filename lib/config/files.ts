import { z } from 'zod'
import { days } from './values.ts'

/** Retention of the files area. */
export const files = {
  QUARANTINE_DAYS: z.coerce.number().int().min(0).max(3650).default(30).describe('days that infected bytes are kept'),
  SCAN_HISTORY_DAYS: days
    .default(90)
    .describe('days that earlier scans of a file are kept; the one that its status stems from stays'),
  FILE_CHANGES_DAYS: days.default(365).describe('days that changes of files’ states are kept'),
}
