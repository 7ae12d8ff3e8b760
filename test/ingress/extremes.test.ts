import t from 'tap'
import { walk } from '../support/walk.ts'

t.test('no parameter, time, number or cursor at its extremes is a fault of ours', async (t) => {
  const { count, faults } = await walk(t, { bodies: 'times and numbers' })
  t.ok(count > 1_000, `${count} requests`)
  t.same(faults, [])
})
