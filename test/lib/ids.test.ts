import t from 'tap'
import { validate, version } from 'uuid'
import { getIdTime, newId } from '#lib/ids.ts'

t.test('ids are of version 7, each after those before, and no two alike', async (t) => {
  const begun = Date.now()
  const ids = Array.from({ length: 20_000 }, newId)
  const ended = Date.now()
  t.strictSame(ids, ids.toSorted(), 'in order, many in a millisecond')
  t.equal(new Set(ids).size, ids.length)
  t.ok(ids.every((id) => validate(id) && version(id) === 7))
  t.ok(ids.every((id) => getIdTime(id) >= begun && getIdTime(id) <= ended))
  t.ok(new Set(ids.map((id) => id.slice(-12))).size > ids.length - 10, 'each with randomness of its own')
})
