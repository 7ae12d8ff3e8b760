import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { until } from '../support/until.ts'
import { verifyStack } from './stack.ts'

t.setTimeout(240_000)
const stack = await verifyStack(t)
const { ask, check, codeTo, db, events, start } = stack
await stack.startWorkers()

t.test('a code arrives by email, is approved once, and is reported', async (t) => {
  const started = await start('Ann@rcpt.example', { brand: 'Shop', user_id: 'user-17', metadata: { form: 'sign-up' } })
  t.match(started, {
    status: 'pending',
    channel: 'email',
    to: 'a***@rcpt.example',
    user_id: 'user-17',
    brand: 'Shop',
    attempts_left: 5,
    metadata: { form: 'sign-up' },
  })
  const code = await codeTo('ann@rcpt.example')
  t.match(code, /^\d{6}$/)
  const wrong = code === '000000' ? '111111' : '000000'
  t.same((await check({ id: started.id, code: wrong })).body, { id: started.id, status: 'pending', attempts_left: 4 })
  t.match((await check({ id: started.id, code })).body, { status: 'approved' })
  t.match((await check({ id: started.id, code })).body, { status: 'used', attempts_left: 0 })
  t.match((await ask(`GET /v1/verify/${started.id}`)).body, { status: 'approved', attempts_left: 3, guarded: false })
  t.same(await events(started.id), ['verify.sent', 'verify.approved'])
})

t.test('nobody but the recipient can read the code', async (t) => {
  const { id } = await start('bob@rcpt.example')
  const code = await codeTo('bob@rcpt.example')
  const { message_id } = (await ask(`GET /v1/verify/${id}`)).body
  const content = await ask(`GET /send/v1/messages/${message_id}`)
  t.equal(content.status, 200)
  t.notMatch(content.text, code)
  const tables = await db.anyFirst(sql.type(z.object({ name: z.string() }))`
    select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables`)
  for (const name of tables) {
    const [schema = '', table = ''] = name.split('.')
    const found = await db.oneFirst(sql.typeAlias('count')`
      select count(*) from ${sql.identifier([schema, table])} as r
      where r::text ~ ${`(^|[^0-9a-f-])${code}([^0-9a-f-]|$)`}`)
    t.equal(found, 0, name)
  }
})

t.test('a failed delivery is reported, and is not approved', async (t) => {
  await db.query(sql.typeAlias('void')`
    insert into email.suppressions (org_id, email, reason) values (${stack.orgId}, 'dead@rcpt.example', 'bounce')`)
  const { id } = await start('dead@rcpt.example')
  await until(async () => (await ask(`GET /v1/verify/${id}`)).body.status === 'undeliverable', { timeout: 20_000 })
  t.match((await ask(`GET /v1/verify/${id}`)).body, { delivery: 'failed', reason: 'suppressed' })
  t.same(await events(id), ['verify.sent', 'verify.undeliverable'])
})
