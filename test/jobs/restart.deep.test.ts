import t from 'tap'
import { outlivesRestarts } from './restarts.ts'

t.test('no database restart ends or wedges the fleet: 10 of 10', (t) => outlivesRestarts(t, 10))
