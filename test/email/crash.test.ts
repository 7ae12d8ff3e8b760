import t from 'tap'
import { killDuring } from './crash.ts'

t.test('a mail worker that is killed loses no message, and sends few twice', { timeout: 240_000 }, (t) =>
  killDuring(t, 400, 1),
)
