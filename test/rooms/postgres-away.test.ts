import t from 'tap'
import { roomGoesOn } from './without-postgres.ts'

t.test('a room goes on for all who are in while Postgres is away', (t) => roomGoesOn(t, 3))
