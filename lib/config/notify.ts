import { days } from './values.ts'

export const notify = {
  NOTIFY_INBOX_DAYS: days
    .default(180)
    .describe('Days that events stay in inboxes and their deduplication keys are stored'),
}
