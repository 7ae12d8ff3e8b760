import '../support/local-webhooks-environment.ts'
import t from 'tap'
import { sql } from '#sql/db.ts'
import { testOrg } from '../support/ingress.ts'
import { testReceiver, verifies } from './receiver.ts'
import { webhookStack } from './stack.ts'

const stack = await webhookStack(t, ['account'])
const { db } = stack
const receiver = await testReceiver(t)
await stack.startWorkers({ OUTBOUND_ALLOWED: '', WEBHOOK_LOCAL_ORG: 'dev' })
const path = '/v1/account/webhooks'

async function scene(name: string) {
  const { org, keys } = await testOrg(db, ['account:webhooks'])
  await db.query(sql.unsafe`update account.orgs set name = ${name} where id = ${org.id}`)
  const ask = (request: string, body?: unknown) => stack.ask(request, { key: keys.main as string, body })
  return { orgId: org.id, ask, emit: stack.emitFor(org.id) }
}

const dev = await scene('dev')

t.test('the development organisation receives events on this machine, without TLS and on any port', async (t) => {
  for (const host of ['127.0.0.1', 'localhost']) {
    const url = `${receiver.url.replace('127.0.0.1', host)}/${host}`
    const { status, body } = await dev.ask(`POST ${path}`, { url, types: ['email.*'] })
    t.equal(status, 201, host)
    await dev.emit('email.bounced', { id: host, sandbox: false })
    const [delivery] = await receiver.has(1, `/${host}`)
    t.ok(delivery && verifies(body.secret, delivery), 'the delivery is signed')
    t.match((await dev.ask(`POST ${path}/${body.id}/test`, {})).body, { delivered: true })
    t.equal((await dev.ask(`DELETE ${path}/${body.id}`)).status, 200)
  }
})

t.test('its other URLs are checked as before', async (t) => {
  for (const [url, issue] of [
    ['http://10.0.0.1/hooks', /not a public address/],
    ['http://169.254.169.254/latest', /not a public address/],
    ['https://[fd00::1]/', /not a public address/],
    ['ftp://127.0.0.1/', /must start with https/],
    ['http://ann:pw@127.0.0.1/', /user name/],
  ] as const) {
    const { status, body } = await dev.ask(`POST ${path}`, { url, types: ['*'] })
    t.equal(status, 400, url)
    t.match(body.error.details, [{ field: 'body.url', issue }], url)
  }
})

t.test('no other organisation reaches this machine, neither by a new URL nor by a later name', async (t) => {
  const other = await scene('other')
  for (const url of [receiver.url, receiver.url.replace('127.0.0.1', 'localhost')]) {
    const { status, body } = await other.ask(`POST ${path}`, { url, types: ['*'] })
    t.equal(status, 400)
    t.match(body.error.details, [{ field: 'body.url', issue: /must start with https.*tunnel.*npm start/ }])
  }
  const secure = await other.ask(`POST ${path}`, { url: 'https://127.0.0.1:9/', types: ['*'] })
  t.match(secure.body.error.details, [{ field: 'body.url', issue: /not a public address/ }])
  const { body } = await other.ask(`POST ${path}`, { url: 'https://hooks.example/', types: ['*'] })
  t.equal((await other.ask(`PATCH ${path}/${body.id}`, { url: receiver.url })).status, 400)
  // A URL of an earlier configuration.
  await db.query(sql.unsafe`update webhooks.endpoints set url = ${`${receiver.url}/stolen`} where id = ${body.id}`)
  t.match((await other.ask(`POST ${path}/${body.id}/test`, {})).body, {
    delivered: false,
    error: /not a public address/,
  })
  const late = await scene('dev')
  t.equal((await late.ask(`POST ${path}`, { url: receiver.url, types: ['*'] })).status, 400)
  t.same(
    receiver.received.filter((one) => one.path === '/stolen'),
    [],
  )
})
