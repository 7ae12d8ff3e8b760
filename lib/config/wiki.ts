import { days } from './values.ts'

/** What the wiki area reads. */
export const wiki = {
  WIKI_SNAPSHOT_DAYS: days
    .default(90)
    .describe('days after its last check in which the bytes of a snapshot are kept that no claim cites'),
}
