import '../support/webhooks-environment.ts'
import { readFile } from 'node:fs/promises'
import pg from 'pg'
import t from 'tap'
import { testOrg } from '../support/ingress.ts'
import { testReceiver, verifies } from './receiver.ts'
import { webhookStack } from './stack.ts'

t.setTimeout(240_000)
const stack = await webhookStack(t, ['account'])
const receiver = await testReceiver(t)
const { org, keys } = await testOrg(stack.db, ['account:webhooks'])
const ask = (request: string, body?: unknown) => stack.ask(request, { key: keys.main, body })
const emit = stack.emitFor(org.id)
const path = '/v1/account/webhooks'
const client = new pg.Client(stack.base.databaseUrl)
await client.connect()
t.teardown(() => client.end())

/** Adds an endpoint as the routes of an area did before the migration. */
async function addFormer(area: 'stream' | 'files', events: string[]) {
  const { id, secret } = (await ask(`POST ${path}`, { url: `${receiver.url}/${area}`, types: events })).body
  await emit(area === 'stream' ? 'video.asset.ready' : 'files.object.infected', { id: 'before' })
  const former = area === 'stream' ? ['*'] : events
  await client.query('update webhooks.endpoints set area = $1, events = $2 where id = $3', [area, former, id])
  return { id, secret }
}

t.test('endpoints of video and files receive the same events, signed with the same secret', async (t) => {
  await client.query('alter table webhooks.endpoints drop constraint endpoints_area_check')
  const video = await addFormer('stream', ['video.*'])
  const files = await addFormer('files', ['files.object.infected'])
  const off = await addFormer('files', ['files.object.clean'])
  await client.query(
    `update webhooks.endpoints set status = 'disabled', disabled_reason = 'gone', disabled_at = now() where id = $1`,
    [off.id],
  )
  await client.query(
    await readFile(new URL('../../sql/migrations/0095_webhooks_all_areas.sql', import.meta.url), 'utf8'),
  )

  t.match((await ask(`GET ${path}`)).body.data, [
    { id: off.id, area: null, types: ['files.object.clean'], status: 'disabled', disabled_reason: 'gone' },
    { id: files.id, area: null, types: ['files.object.infected'], status: 'enabled' },
    { id: video.id, area: null, types: ['video.*'], status: 'enabled' },
  ])
  await emit('video.room.ended')
  await emit('files.object.clean')
  await emit('files.object.infected')
  await emit('email.bounced')
  await stack.startWorkers()
  const told = [...(await receiver.has(2, '/stream')), ...(await receiver.has(2, '/files'))]
  t.same(told.map(({ path, event }) => `${path} ${event.type}`).sort(), [
    '/files files.object.infected',
    '/files files.object.infected',
    '/stream video.asset.ready',
    '/stream video.room.ended',
  ])
  for (const one of told) t.ok(verifies(one.path === '/stream' ? video.secret : files.secret, one), one.event.type)
  await stack.idle()
  t.equal(receiver.received.length, 4, 'nothing else, and nothing twice')
  await t.rejects(client.query(`update webhooks.endpoints set area = 'files' where id = $1`, [files.id]), /area_check/)
})
