import './stack.ts'
import t from 'tap'
import { killInRounds } from './killing.ts'

t.test('workers that are killed 20 times lose no action, and perform none twice', { timeout: 600_000 }, (t) =>
  killInRounds(t, 20),
)
