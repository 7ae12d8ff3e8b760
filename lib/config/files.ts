import { z } from 'zod'
import { days, http } from './values.ts'

export const files = {
  FILES_URL: http
    .optional()
    .describe('Base URL of delivered files. Use a separate host for untrusted files. Default: PUBLIC_URL.'),
  QUARANTINE_DAYS: z.coerce.number().int().min(0).max(3650).default(30).describe('Days that infected files are kept'),
  SCAN_HISTORY_DAYS: days
    .default(90)
    .describe('Days that earlier scans of a file are kept. The scan that set the current status is always kept.'),
  FILE_CHANGES_DAYS: days.default(365).describe('Days that status changes of files are kept'),
}
