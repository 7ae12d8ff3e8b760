import t from 'tap'
import { callGoesOn } from './postgres-away.ts'

t.test('a call goes on while Postgres is away, and the end of one is written when it is back', (t) => callGoesOn(t, 4))
