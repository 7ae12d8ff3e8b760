import t from 'tap'
import { killDuring } from './crash.ts'

t.test('mail workers that are killed lose none of 10,000 messages, and send few twice', { timeout: 600_000 }, (t) =>
  killDuring(t, 10_000, 5),
)
