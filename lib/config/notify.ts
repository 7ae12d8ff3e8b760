import { days } from './values.ts'

/** What the notify area reads. */
export const notify = {
  NOTIFY_INBOX_DAYS: days
    .default(180)
    .describe('days that events are kept: in inboxes, and known by their dedupe keys'),
}
