import t from 'tap'
import { outlivesRestarts } from './restarts.ts'

t.test('a database restart neither ends nor wedges the fleet', (t) => outlivesRestarts(t, 2))
