import t from 'tap'
import { sql } from '#sql/db.ts'
import { fcmToken, pushStack } from './stack.ts'

const stack = await pushStack(t)
await stack.startWorkers()
const { providers } = stack

t.test('an answer with NUL and halves of characters harms neither its push nor those beside it', async (t) => {
  const app = await stack.app('fcm')
  const tokens = Array.from({ length: 12 }, fcmToken)
  for (const token of tokens) await stack.device(app, 'ann', { push_provider: 'fcm', token, platform: 'android' })
  const [bad] = tokens
  providers.answer = ({ token }) =>
    token === bad
      ? {
          outcome: 'rejected',
          status: 400,
          reason: `NO\0\ud800${'x'.repeat(5_000)}`,
          error: `no\0 ${'👍'.repeat(600)}`,
        }
      : { providerId: 'id\0\udc00' }
  const { id } = await stack.send(app, 'ann')
  t.match(await stack.ended(id), { counts: { devices: 12, sent: 11, failed: 1 } })
  t.equal(providers.sent.length, 12, 'each was sent once')
  const failed = (await stack.trace(id)).find(({ status }) => status === 'failed')
  t.match(failed.attempts, [{ outcome: 'rejected', reason: /^NO\ufffd\ufffdx+$/ }])
})

t.test('a result that the database refuses is recorded by itself, as what it is', async (t) => {
  await stack.db.query(sql.typeAlias('void')`
    alter table push.attempts add constraint bearable check (provider_message_id <> 'unbearable')`)
  const app = await stack.app('fcm')
  const tokens = Array.from({ length: 12 }, fcmToken)
  for (const token of tokens) await stack.device(app, 'bob', { push_provider: 'fcm', token, platform: 'android' })
  providers.sent = []
  providers.answer = ({ token }) => ({ providerId: token === tokens[5] ? 'unbearable' : 'fine' })
  const { id } = await stack.send(app, 'bob')
  t.match(await stack.ended(id), { status: 'sent', counts: { devices: 12, sent: 12 } })
  t.equal(providers.sent.length, 12, 'each was sent once')
  const trace = await stack.trace(id)
  t.equal(trace.filter(({ attempts }) => attempts.length === 1).length, 11)
})
