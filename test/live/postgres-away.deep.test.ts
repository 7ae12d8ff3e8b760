import t from 'tap'
import { broadcastGoesOn } from './without-postgres.ts'

t.test('a broadcast goes on for all who are there while Postgres is away for 8 s', (t) => broadcastGoesOn(t, 8))
