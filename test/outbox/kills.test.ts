import t from 'tap'
import { killAll } from './kills.ts'

t.test('each committed row is accepted once through kills of the relay, the ingress and both databases', (t) =>
  killAll(t, 2),
)
