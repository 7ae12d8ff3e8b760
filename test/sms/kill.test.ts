import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { startProcess } from '../support/killed-process.ts'
import { until } from '../support/until.ts'
import { signingSecret, smsStack } from './stack.ts'

t.setTimeout(240_000)
const { db, databaseUrl, orgId, server, say } = await smsStack(t)
const messages = 200
const worker = () =>
  startProcess(t, new URL('./worker-process.ts', import.meta.url), [databaseUrl, server.url, signingSecret])

t.test('workers that are killed while they send text messages send none of them twice', async (t) => {
  // A response after a moment, so that a killed worker has requests without one.
  server.always = ({ form }, response) => {
    setTimeout(() => {
      response.writeHead(201, { 'content-type': 'application/json' })
      const sid = `SM${form.get('To')?.slice(1).padStart(32, '0')}`
      response.end(JSON.stringify({ sid, status: 'queued', num_segments: '1' }))
    }, 60)
  }
  const people = Array.from({ length: messages }, (_, n) => `+3725570${String(n).padStart(4, '0')}`)
  for (const to of people) t.equal((await say(to)).status, 200)
  const requests = (count: number) => until(() => server.received.length >= count, { every: 2, timeout: 60_000 })

  for (const count of [30, 90]) {
    const kill = await worker()
    await requests(count)
    await kill()
  }
  t.ok(server.received.length < messages, `killed twice, the second time after ${server.received.length} requests`)
  await worker()
  const Row = z.object({ phone: z.string(), status: z.string(), error: z.string().nullable() })
  const read = () =>
    db.any(sql.type(Row)`
      select phone, status, error ->> 'code' as error from sms.messages where org_id = ${orgId} order by phone`)
  const rows = await until(
    async () => {
      const all = await read()
      return all.every(({ status }) => status !== 'queued' && status !== 'sending') && all
    },
    { timeout: 90_000, what: 'every message has ended' },
  )
  t.equal(rows.length, messages)
  const requested = Map.groupBy(server.received, ({ form }) => form.get('To'))
  t.same(
    [...requested].filter(([, all]) => all.length > 1).map(([to]) => to),
    [],
    'no message is sent twice',
  )
  const sent = rows.filter(({ status }) => status === 'sent')
  const unknown = rows.filter(({ status }) => status === 'unknown')
  t.equal(sent.length + unknown.length, messages)
  t.same(
    sent.filter(({ phone }) => !requested.has(phone)),
    [],
    'what counts as sent was sent',
  )
  t.ok(unknown.length > 0 && unknown.length <= 16, `${unknown.length} are unclear: at most those in progress`)
  t.ok(unknown.every(({ error }) => error === 'no_response'))
})
