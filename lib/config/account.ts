import { days } from './values.ts'

/** How organisations end. */
export const account = {
  CLOSURE_DAYS: days.default(14).describe('days of grace in which the closure of an organisation can be taken back'),
}
