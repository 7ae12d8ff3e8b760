import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { importUrl } from '#tasks/video/import.ts'
import { SlowServerError } from '#tasks/video/rules/import/fault.ts'
import { watchPace } from '#tasks/video/rules/import/pace.ts'
import { videoStack } from '../support/video-stack.ts'

t.test('a server that sends less than it must is given up, and one that sends enough is not', async (t) => {
  const { signal } = new AbortController()
  const bounds = { spellMs: 200, leastBytes: 1_000 }
  const slow = watchPace(signal, bounds)
  slow.came(999)
  const ample = watchPace(signal, bounds)
  const feeding = setInterval(() => ample.came(1_000), 20)
  t.teardown(() => clearInterval(feeding))
  while (!slow.signal.aborted) await pause(10)
  t.match(slow.signal.reason, {
    name: 'SlowServerError',
    message: 'The server of the URL sent 5 KiB per second. It must send at least 5 KiB per second.',
  })
  await pause(300)
  t.notOk(ample.signal.aborted)
  slow.stop()
  ample.stop()
})

t.test('a file whose server is too slow three times fails with a reason that says so', async (t) => {
  const { ask, db, store } = await videoStack(t)
  const asked = await ask('POST /v1/stream/imports', { body: { url: 'https://files.example/slow.mp4' } })
  t.equal(asked.status, 201, asked.text)
  const { assetId } = asked.body
  // biome-ignore lint/suspicious/noExplicitAny: what the task does not use is not made.
  const means: any = {
    db,
    storage: store.storage,
    signal: new AbortController().signal,
    own: (work: Parameters<typeof db.transaction>[0]) => db.transaction(work),
    outbound: { stream: () => Promise.reject(new SlowServerError(480 * 1024, 60_000, 60 * 64 * 1024)) },
  }
  for (const _ of [1, 2]) await t.rejects(importUrl.run({ assetId }, means), { name: 'Later' })
  await importUrl.run({ assetId }, means)
  t.match((await ask(`GET /v1/stream/assets/${assetId}`)).body, {
    status: 'failed',
    failure_code: 'too_slow',
    failure_summary: 'The server of the URL sent 8 KiB per second. It must send at least 64 KiB per second.',
  })
})
