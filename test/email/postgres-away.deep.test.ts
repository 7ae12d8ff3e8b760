import t from 'tap'
import { sessionGoesOn } from './postgres-away.ts'

t.test('mail under way is delivered once, and that is written when Postgres is back that was away for 8 s', (t) =>
  sessionGoesOn(t, 8),
)
