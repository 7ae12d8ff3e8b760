import { days } from './values.ts'

export const intake = {
  INTAKE_DAYS: days.default(30).describe('Days that received webhooks are kept. A source can have fewer days.'),
}
