import t from 'tap'
import { addJitter, getBackOffDelay, parseRetryAfter } from '#lib/retry.ts'

t.test('Retry-After is a number of seconds or a date, never before now, and at most a day', async (t) => {
  const now = Date.parse('2030-01-01T00:00:00Z')
  t.equal(parseRetryAfter('7'), 7)
  t.equal(parseRetryAfter(' 7 '), 7)
  t.equal(parseRetryAfter('0'), 0)
  t.equal(parseRetryAfter(['9', '7']), 9)
  t.equal(parseRetryAfter('99999999'), 86_400)
  t.equal(parseRetryAfter('99999999', { most: 7 * 86_400 }), 7 * 86_400)
  t.equal(parseRetryAfter('Tue, 01 Jan 2030 00:02:00 GMT', { now }), 120)
  t.equal(parseRetryAfter('Mon, 31 Dec 2029 23:00:00 GMT', { now }), 0)
  for (const none of [undefined, '', 'soon', '-7 apples']) t.equal(parseRetryAfter(none), null, `${none}`)
})

t.test('a back-off grows by its factor up to the longest, and is spread', async (t) => {
  const settings = { first: 5, factor: 3, most: 900 }
  t.same(
    [0, 1, 2, 4, 5, 1_000_000].map((failures) => getBackOffDelay(settings, failures)),
    [5, 15, 45, 405, 900, 900],
  )
  t.same([addJitter(100, 0.5, 0), addJitter(100, 0.5, 0.5), addJitter(100, 0.5, 1)], [50, 100, 150])
})
