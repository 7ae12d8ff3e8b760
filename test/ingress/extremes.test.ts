import '../support/forms-environment.ts'
import t from 'tap'
import { walk } from '../support/walk.ts'

t.test('no parameter, time, number or cursor at its extremes is a fault of ours', async (t) => {
  const { count, faults } = await walk(t, { bodies: 'times and numbers', n: 11 })
  t.ok(count > 500, `${count} requests`)
  t.same(faults, [])
})
