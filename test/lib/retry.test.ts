import t from 'tap'
import { backOff, jittered, retryAfterOf } from '#lib/retry.ts'

t.test('Retry-After is a number of seconds or a date, never before now, and at most a day', async (t) => {
  const now = Date.parse('2030-01-01T00:00:00Z')
  t.equal(retryAfterOf('7'), 7)
  t.equal(retryAfterOf(' 7 '), 7)
  t.equal(retryAfterOf('0'), 0)
  t.equal(retryAfterOf(['9', '7']), 9)
  t.equal(retryAfterOf('99999999'), 86_400)
  t.equal(retryAfterOf('99999999', { most: 7 * 86_400 }), 7 * 86_400)
  t.equal(retryAfterOf('Tue, 01 Jan 2030 00:02:00 GMT', { now }), 120)
  t.equal(retryAfterOf('Mon, 31 Dec 2029 23:00:00 GMT', { now }), 0)
  for (const none of [undefined, '', 'soon', '-7 apples']) t.equal(retryAfterOf(none), null, `${none}`)
})

t.test('a back-off grows by its factor up to the longest, and is spread', async (t) => {
  const settings = { first: 5, factor: 3, most: 900 }
  t.same(
    [0, 1, 2, 4, 5, 1_000_000].map((failures) => backOff(settings, failures)),
    [5, 15, 45, 405, 900, 900],
  )
  t.same([jittered(100, 0.5, 0), jittered(100, 0.5, 0.5), jittered(100, 0.5, 1)], [50, 100, 150])
})
