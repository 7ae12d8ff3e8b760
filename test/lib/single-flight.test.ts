import { test } from 'tap'
import { SingleFlight } from '#lib/single-flight.ts'

test('who asks while a call is under way shares it; the next call is another', async (t) => {
  const flights = new SingleFlight<number>()
  const gate = Promise.withResolvers<void>()
  let calls = 0
  const call = async () => {
    const number = ++calls
    await gate.promise
    return number
  }
  t.equal(flights.underWay('a'), undefined)
  const both = Promise.all([flights.share('a', call), flights.share('a', call)])
  const other = flights.share('b', call)
  t.not(flights.underWay('a'), undefined)
  gate.resolve()
  t.same(await both, [1, 1])
  t.equal(await other, 2)
  t.equal(await flights.share('a', call), 3)
})

test('a failure is shared as well, and not kept', async (t) => {
  const flights = new SingleFlight<number>()
  const fails = () => flights.share('a', () => Promise.reject(new Error('it fails')))
  const [first, second] = await Promise.allSettled([fails(), fails()])
  t.same([first?.status, second?.status], ['rejected', 'rejected'])
  t.equal(flights.underWay('a'), undefined)
  t.throws(
    () =>
      flights.share('a', () => {
        throw new Error('at once')
      }),
    { message: 'at once' },
  )
  t.equal(await flights.share('a', async () => 4), 4)
})
