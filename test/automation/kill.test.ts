import './stack.ts'
import t from 'tap'
import { killInRounds } from './killing.ts'

t.test('workers that are killed twice lose no action, and perform none twice', { timeout: 240_000 }, (t) =>
  killInRounds(t, 2),
)
