import { execFile } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { test } from 'tap'
import { childEnvironment } from '#lib/config.ts'
import type { Push, PushCredential } from '#tasks/push/engine.ts'
import { IdlePool } from '../../workers/push/idle-pool.ts'
import { startPushProviders } from '../support/push-servers/all.ts'
import { until } from '../support/until.ts'

test('a worker’s engine finds the providers where the settings say, and trusts what they say', async (t) => {
  const { environment, ...providers } = await startPushProviders(t)
  const { name: _, pair: __, secret: ___, ...subscription } = providers.webpush.subscribe()
  const push = { id: randomUUID(), payload: { aps: {} }, ttl: 60, priority: 'normal' } as const
  const pushes: Record<PushCredential['provider'], Push> = {
    apns: { ...push, token: randomBytes(32).toString('hex') },
    fcm: { ...push, token: 'a-device', payload: { data: {} } },
    webpush: { ...push, token: subscription.endpoint, keys: subscription.keys },
  }
  const sends = (['apns', 'fcm', 'webpush'] as const).map((provider) => {
    const { credential } = providers[provider]
    return [{ id: randomUUID(), provider, environment: 'production', ...credential }, [pushes[provider]]]
  })
  const code = `const { createPushEngine } = await import('./workers/push/engine.ts')
    const engine = createPushEngine()
    const signal = new AbortController().signal
    for (const [credential, pushes] of ${JSON.stringify(sends)}) {
      const [{ outcome, reason }] = await engine.send(credential, pushes, signal)
      console.log(credential.provider, outcome, reason ?? '', await engine.check(credential, signal) ?? 'good')
    }
    await engine.close()`
  const env = childEnvironment({ ...environment, LOG_LEVEL: 'warn' })
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { env })
  t.same(stdout.trim().split('\n'), ['apns sent  good', 'fcm sent  good', 'webpush sent  good'])
})

test('a session is kept while it is used, and ended once it is not', async (t) => {
  const ended: string[] = []
  const kept = new IdlePool<string>(async (session) => void ended.push(session), 30)
  const made: string[] = []
  const make = () => `session ${made.push('')}`
  const held = Promise.withResolvers<string>()
  const long = kept.use('key', make, () => held.promise)
  t.equal(await kept.use('key', make, async (session) => session), 'session 1')
  t.equal(await kept.use('other key', make, async (session) => session), 'session 2')
  await until(() => ended.length === 1, { what: 'the idle one has ended' })
  t.same(ended, ['session 2'])
  held.resolve('')
  await long
  await until(() => ended.length === 2, { what: 'the other one has ended' })
  t.equal(await kept.use('key', make, async (session) => session), 'session 3')
  await kept.close()
  t.equal(ended.length, 3)
})
