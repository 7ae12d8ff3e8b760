import t from 'tap'
import { retryUntilConnected } from '#sql/once-connected.ts'

/** Work that fails `times` times before it succeeds, with the number of its starts. */
function failing(times: number, message: string) {
  const work = {
    begun: 0,
    async do(): Promise<string> {
      if (++work.begun <= times) throw new Error(message)
      return 'done'
    },
  }
  return work
}

t.test('work is begun again while no connection can be made, and told when that lasts', async (t) => {
  const work = failing(3, 'timeout expired')
  t.equal(await retryUntilConnected(work.do, { pauseMs: 1 }), 'done')
  t.equal(work.begun, 4)
  await t.rejects(retryUntilConnected(failing(1e9, 'timeout expired').do, { patience: 20, pauseMs: 1 }), {
    message: 'timeout expired',
  })
})

t.test('what else fails, or is to stop, is not tried again', async (t) => {
  const wrong = failing(1, 'password authentication failed')
  await t.rejects(retryUntilConnected(wrong.do, { pauseMs: 1 }), { message: /password/ })
  t.equal(wrong.begun, 1)
  const stopped = failing(1, 'timeout expired')
  await t.rejects(retryUntilConnected(stopped.do, { signal: AbortSignal.abort(), pauseMs: 1 }))
  t.equal(stopped.begun, 1)
})
