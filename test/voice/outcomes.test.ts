import { test } from 'tap'
import { hangupEnding, legEnding, refusalEnding, unansweredEnding } from '#tasks/voice/rules/outcomes.ts'
import { isReachable, selectTrunk } from '#tasks/voice/rules/trunks.ts'

test('what a SIP status to an INVITE means for the call', async (t) => {
  const cases: [number, string, string][] = [
    [486, 'busy', 'busy'],
    [603, 'busy', 'declined'],
    [480, 'no_answer', 'no_answer'],
    [408, 'failed', 'trunk_unreachable'],
    [404, 'failed', 'unknown_number'],
    [403, 'failed', 'trunk_refused'],
    [488, 'failed', 'media_refused'],
    [500, 'failed', 'trunk_error'],
  ]
  for (const [status, ends, reason] of cases)
    t.same(refusalEnding('b', status), { status: ends, reason, ended_by: 'b' }, String(status))
})

test('how a call ends that nobody refused', async (t) => {
  t.match(unansweredEnding('a', true), { status: 'no_answer', ended_by: 'a' })
  t.match(unansweredEnding('a', false), { status: 'failed', reason: 'trunk_unreachable' })
  t.match(hangupEnding('hung_up', 'api', true), { status: 'completed', reason: 'hung_up', ended_by: 'api' })
  t.match(hangupEnding('hung_up', 'api', false), { status: 'canceled' })
  t.equal(legEnding({ isAnswered: true, refused: 'busy' }), 'completed')
  t.equal(legEnding({ isAnswered: false, refused: 'busy' }), 'busy')
  t.equal(legEnding({ isAnswered: false, refused: undefined }), 'canceled')
})

test('a number goes to the trunk with the longest prefix, one that is reachable if there is any', async (t) => {
  const [all, estonia, other] = [{ prefix: '' }, { prefix: '+372' }, { prefix: '+372' }]
  const trunks = [all, estonia, other]
  t.equal(
    selectTrunk(trunks, '+4912', () => true),
    all,
  )
  t.equal(
    selectTrunk(trunks, '+3725', (trunk) => trunk !== estonia),
    other,
  )
  t.equal(
    selectTrunk(trunks, '+3725', () => false),
    estonia,
  )
  t.equal(
    selectTrunk([estonia], '+49', () => true),
    undefined,
  )
  t.same([200, 404, 408, 503].map(isReachable), [true, true, false, false])
})
