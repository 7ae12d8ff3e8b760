import t from 'tap'
import { createFairSlots, NoSlotError, ShareUsedUpError } from '#lib/slots.ts'

t.test('an owner has no more slots than its share, and the lines of owners take turns', async (t) => {
  const { take } = createFairSlots({ slots: 3, slotsOfOne: 2 })
  const order: string[] = []
  const held: Disposable[] = [await take('a'), await take('a')]
  const start = (owner: string) =>
    void take(owner).then((slot) => {
      order.push(owner)
      held.push(slot)
    })
  for (const owner of ['a', 'a', 'b', 'c', 'c']) start(owner)
  await new Promise(setImmediate)
  t.same(order, ['b'], 'the third slot is for another owner')
  while (held.length > 0) {
    held.shift()?.[Symbol.dispose]()
    await new Promise(setImmediate)
  }
  t.same(order, ['b', 'a', 'c', 'a', 'c'], 'one of each before a second one')
})

t.test('a line that is full is refused, and one that is given up leaves no trace', async (t) => {
  const { take } = createFairSlots({ slots: 1, slotsOfOne: 1, waiting: 2, waitingOfOne: 1 })
  const first = await take('a')
  const given = new AbortController()
  const second = take('a', given.signal)
  await t.rejects(take('a'), ShareUsedUpError)
  const third = take('b')
  await t.rejects(take('c'), NoSlotError)
  given.abort(new Error('given up'))
  await t.rejects(second, { message: 'given up' })
  first[Symbol.dispose]()
  first[Symbol.dispose]()
  const last = await third
  t.equal(
    await Promise.race([take('c').then(() => 'early'), new Promise((tell) => setImmediate(tell, 'waits'))]),
    'waits',
  )
  last[Symbol.dispose]()
})

t.test('what waits for its own share stands in nobody’s way', async (t) => {
  const slots = createFairSlots({ slots: 2, slotsOfOne: 1 })
  const first = await slots.take('a')
  const order: string[] = []
  const second = slots.take('a').then((slot) => {
    order.push('a again')
    return slot
  })
  const other = await slots.take('b')
  order.push('b')
  const third = slots.take('c').then((slot) => {
    order.push('c')
    return slot
  })
  other[Symbol.dispose]()
  const taken = await third
  t.same(order, ['b', 'c'], 'what waits for its own holder stands in nobody’s way')
  first[Symbol.dispose]()
  await second
  t.same(order, ['b', 'c', 'a again'])
  const gone = new AbortController()
  const fourth = slots.take('a', gone.signal)
  gone.abort(new Error('nobody waits'))
  await t.rejects(fourth, { message: 'nobody waits' })
  taken[Symbol.dispose]()
})
