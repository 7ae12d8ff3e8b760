import '../support/webhooks-environment.ts'
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { emitMany } from '#tasks/webhooks/rules/emit.ts'
import { allTypes } from '#tasks/webhooks/rules/event-types.ts'
import { madeUp } from '../support/emitted.ts'
import { guideBlocks } from '../support/guide-blocks.ts'
import { testReceiver, verifies } from './receiver.ts'
import { webhookStack } from './stack.ts'

const stack = await webhookStack(t)
const { db, ask } = stack
const receiver = await testReceiver(t)
await stack.startWorkers()

const countOf = (table: 'events' | 'deliveries') =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*)::int as count from ${sql.identifier(['webhooks', table])}`)

t.test('where nobody subscribes an event leaves no trace', async (t) => {
  await stack.emit('email.bounced')
  const other = await stack.add(`${receiver.url}/other`, ['delivered'])
  await stack.emit('email.bounced')
  t.equal(await countOf('events'), 0)
  t.equal((await ask(`DELETE /send/v1/webhooks/${other.id}`)).status, 200)
})

t.test('an event arrives signed, once for each endpoint that asks for it, and is logged', async (t) => {
  receiver.answer = (_, res) => void res.writeHead(200).end(`thanks ${'ü'.repeat(2_000)}`)
  const [first, second, all] = [
    await stack.add(`${receiver.url}/first`, ['bounced', 'delivered']),
    await stack.add(`${receiver.url}/second`, ['email.bounced']),
    await stack.add(`${receiver.url}/all`),
  ]
  await stack.add(`${receiver.url}/unasked`, ['failed'])
  await stack.emit('email.bounced', { id: 'm1', to: 'someone@example.com', sandbox: true })
  await receiver.has(3)
  for (const [path, endpoint] of Object.entries({ '/first': first, '/second': second, '/all': all })) {
    const [delivery, ...more] = await receiver.has(1, path)
    if (!delivery) continue
    t.same(more, [])
    t.match(delivery.event, { type: 'email.bounced', data: { id: 'm1', to: 'someone@example.com', sandbox: true } })
    t.equal(new Date(delivery.event.timestamp).toISOString(), delivery.event.timestamp)
    t.equal(delivery.headers['content-type'], 'application/json')
    t.ok(verifies(endpoint.secret, delivery), `${path} verifies`)
    t.notOk(verifies(endpoint.secret, { ...delivery, body: delivery.body.replace('m1', 'm2') }), 'tampered with')
    t.notOk(verifies(endpoint === first ? second.secret : first.secret, delivery), 'of another endpoint')
    const logged = await stack.logged(endpoint.id, ({ status }) => status === 'delivered')
    t.match(logged, {
      event_id: delivery.headers['webhook-id'],
      type: 'email.bounced',
      attempts: 1,
      response_status: 200,
      error: null,
      next_attempt_at: null,
    })
    t.match(logged.response_head, /^thanks ü{100,}$/)
    t.ok(Buffer.byteLength(logged.response_head) <= 1_024)
    t.ok(logged.latency_ms >= 0)
  }
  t.equal(receiver.received.length, 3)
})

t.test('hundreds of events of one transaction arrive each once; what is rolled back never does', async (t) => {
  receiver.answer = (_, res) => void res.writeHead(204).end()
  const endpoint = await stack.add(`${receiver.url}/many`, ['sent'])
  const events = (from: number) =>
    Array.from({ length: 300 }, (_, i) => madeUp(stack.orgId, 'email.sent', { number: from + i }))
  const undone = db.transaction(async (tx) => {
    await emitMany(tx, events(1_000))
    throw new Error('never mind')
  })
  await t.rejects(undone)
  await db.transaction((tx) => emitMany(tx, events(0)))
  const arrived = await receiver.has(300, '/many')
  await stack.idle()
  t.same(
    arrived.map(({ event }) => event.data.number).sort((a, b) => a - b),
    Array.from({ length: 300 }, (_, i) => i),
  )
  t.equal(new Set(arrived.map(({ headers }) => headers['webhook-id'])).size, 300)
  const { body } = await ask(`GET /send/v1/webhooks/${endpoint.id}/deliveries?status=delivered&limit=100`)
  t.equal(body.data.length, 100)
  t.ok(body.next_cursor)
})

t.test('a test event is sent at once, and what the endpoint made of it is answered', async (t) => {
  const { id, secret } = await stack.add(`${receiver.url}/tested`, ['sent'])
  receiver.answer = (_, res) => void res.writeHead(418).end('short and stout')
  const { status, body } = await ask(`POST /send/v1/webhooks/${id}/test`)
  t.equal(status, 200)
  t.match(body, { delivered: false, response_status: 418, response_head: 'short and stout' })
  t.match(body, { error: 'The endpoint returned 418.', latency_ms: Number })
  receiver.answer = (_, res) => void res.writeHead(200).end('ok')
  const second = await ask(`POST /send/v1/webhooks/${id}/test`)
  t.match(second.body, { delivered: true, response_status: 200, response_head: 'ok', error: null })
  const [, sent] = await receiver.has(2, '/tested')
  t.match(sent, { event: { type: 'webhooks.test' }, headers: { 'webhook-id': second.body.event_id } })
  t.ok(sent && verifies(secret, sent))
  t.match(await stack.logged(id, () => true), { type: 'webhooks.test', status: 'delivered', attempts: 1 })
})

t.test('after a rotation both secrets verify, and the one before no longer than was asked for', async (t) => {
  receiver.answer = (_, res) => void res.writeHead(204).end()
  const { id, secret } = await stack.add(`${receiver.url}/rotated`, ['failed'])
  const rotated = await ask(`POST /send/v1/webhooks/${id}/rotate-secret`, { body: { keep_hours: 2 } })
  t.equal(rotated.status, 200)
  t.ok(Math.abs(Date.parse(rotated.body.previous_secret_until) - Date.now() - 2 * 3_600_000) < 60_000)
  await stack.emit('email.failed')
  const [both] = await receiver.has(1, '/rotated')
  t.equal(both?.headers['webhook-signature']?.split(' ').length, 2)
  t.ok(both && verifies(secret, both) && verifies(rotated.body.secret, both))
  const at = sql.typeAlias('void')`update webhooks.endpoints set previous_until = now() where id = ${id}`
  await db.query(at)
  await stack.emit('email.failed')
  const [, one] = await receiver.has(2, '/rotated')
  t.ok(one && verifies(rotated.body.secret, one) && !verifies(secret, one))
  const last = await ask(`POST /send/v1/webhooks/${id}/rotate-secret`, { body: { keep_hours: 0 } })
  t.equal(last.body.previous_secret_until, null)
})

t.test('no list shows a secret, and none is in the database as it is', async (t) => {
  const { id, secret } = await stack.add(`${receiver.url}/secret`)
  t.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  t.notMatch((await ask('GET /send/v1/webhooks')).text, /whsec_/)
  const stored = await db.oneFirst(sql.type(z.object({ row: z.string() }))`
    select e::text as row from webhooks.endpoints as e where id = ${id}`)
  t.notMatch(stored, /whsec_/)
  t.notOk(stored.includes(secret.slice(6)))
})

const guide = await readFile(new URL('../../ingress/webhooks/README.md', import.meta.url), 'utf8')
const block = (fence: string) =>
  guideBlocks(guide).find(({ language, code }) => language === fence && /(?:function|def) verify\(/.test(code))
    ?.code as string

t.test('the guide’s code verifies what is delivered, and nothing else', async (t) => {
  const { id, secret } = await stack.add(`${receiver.url}/guide`, ['suppressed'])
  await ask(`POST /send/v1/webhooks/${id}/rotate-secret`, { body: {} })
  await stack.emit('email.suppressed', { reason: 'Grüße' })
  const [delivery] = await receiver.has(1, '/guide')
  if (!delivery) return
  const { headers, body } = delivery
  const file = join(stack.base.data, 'verify.mjs')
  await writeFile(file, block('js'))
  const { verify } = await import(pathToFileURL(file).href)
  t.match(verify(secret, headers, body), { type: 'email.suppressed', data: { reason: 'Grüße' } })
  t.throws(() => verify(secret, headers, body.replace('ü', 'u')), /not signed/)
  t.throws(() => verify(secret, { ...headers, 'webhook-timestamp': '1' }, body), /too old/)

  const python = async (text: string) => {
    const given = JSON.stringify({ secret, headers, body: text })
    const program = `${block('python')}\nimport sys\ng = json.loads(sys.argv[1])\nprint(verify(g["secret"], g["headers"], g["body"].encode())["type"])`
    return (await promisify(execFile)('/usr/bin/python3', ['-c', program, given])).stdout.trim()
  }
  t.equal(await python(body), 'email.suppressed')
  await t.rejects(python(body.replace('ü', 'u')), /not signed/)
})

t.test('the guide names every event', async (t) => {
  for (const type of allTypes) t.match(guide, `\`${type}\``)
})
