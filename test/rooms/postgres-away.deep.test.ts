import t from 'tap'
import { roomGoesOn } from './without-postgres.ts'

t.test('a room goes on for all who are in while Postgres is away for 8 s', (t) => roomGoesOn(t, 8))
