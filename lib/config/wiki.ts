import { days } from './values.ts'

export const wiki = {
  WIKI_SNAPSHOT_DAYS: days
    .default(90)
    .describe('Days that the content of an uncited snapshot is kept after the last check'),
}
