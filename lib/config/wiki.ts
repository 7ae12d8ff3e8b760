import { days } from './values.ts'

export const wiki = {
  WIKI_SNAPSHOT_DAYS: days
    .default(90)
    .describe('Days after the last check that the content of an uncited snapshot is kept'),
}
