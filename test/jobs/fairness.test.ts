import t from 'tap'
import {
  checkPriority,
  countAged,
  getLevel,
  getPriority,
  getPriorityColumn,
  retryAfter,
} from '#tasks/queue/fairness.ts'

t.test('a level is the logarithm of what waits, and fits the queue’s column with the priority', async (t) => {
  t.strictSame([0, 1, 2, 3, 6, 7, 999, 20_000].map(getLevel), [0, 1, 1, 2, 2, 3, 9, 14])
  t.equal(getLevel(-3), 0, 'counts that ran below 0 for a moment')
  t.ok(getPriorityColumn(999, 2 ** 32) <= 32_767)
  for (const column of [getPriorityColumn(10, 0), getPriorityColumn(10, 20_000), -1_000 + 10])
    t.equal(getPriority(column), 10)
  for (const wrong of [-1, 1_000, 0.5, Number.NaN]) t.throws(() => checkPriority(wrong), RangeError)
})

t.test('Retry-After is what the backlog takes at its rate, from 1 s to 60 s', async (t) => {
  t.equal(retryAfter(1, undefined), 10)
  t.equal(retryAfter(1, 1_000), 1)
  t.equal(retryAfter(100, 10), 10)
  t.equal(retryAfter(1, 0), 60)
})

t.test('one start in eight may go to the oldest, and no start is forgotten', async (t) => {
  t.strictSame(countAged(7, 50), { aged: 0, left: 7 })
  t.strictSame(countAged(17, 50), { aged: 2, left: 1 })
  t.strictSame(countAged(80_000, 50), { aged: 50, left: 0 })
})
