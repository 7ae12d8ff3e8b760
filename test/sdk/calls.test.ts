import { test } from 'tap'
import { runWithNode } from './node-caller.ts'
import { newMark, served } from './served.ts'
import { differences, runList, sharedCalls } from './shared-list.ts'

test('the Node client makes every call of the shared list', async (t) => {
  const { faults, outcomes } = await runList(t, await served(t), newMark(), runWithNode)
  t.same(faults, [])
  t.ok(Object.keys(outcomes).length >= 60)
})

test('the list notices what is not as expected', async (t) => {
  t.same(differences({ a: '<string>', b: [1] }, { a: 'x', b: [1], more: true }, ''), [])
  t.same(differences({ a: '<string>', b: [1], c: null }, { a: 1, b: [], c: 0 }, ''), [
    '.a is 1, no string',
    '.b has 0 items, not 1',
    '.c is 0, not null',
  ])
  const names = (await sharedCalls()).map(({ id }) => id)
  t.equal(new Set(names).size, names.length, 'no two calls have one name')
})
