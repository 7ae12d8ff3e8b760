import '../support/forms-environment.ts'
import t from 'tap'
import { walk } from '../support/walk.ts'

t.test('no field of any operation at its extremes is a fault of ours', async (t) => {
  const { count, faults } = await walk(t, { bodies: 'all' })
  t.ok(count > 3_000, `${count} requests`)
  t.same(faults, [])
})
