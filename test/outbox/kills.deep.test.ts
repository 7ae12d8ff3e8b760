import t from 'tap'
import { killAll } from './kills.ts'

t.setTimeout(1_800_000)
t.test('each committed row is accepted once through 20 rounds of kills', (t) => killAll(t, 20))
