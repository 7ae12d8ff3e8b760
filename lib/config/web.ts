import { concurrency } from './values.ts'

/** What the pool that fetches from the web reads. */
export const web = {
  WEB_CONCURRENCY: concurrency.default(8).describe('fetches from the web at once in one worker'),
}
