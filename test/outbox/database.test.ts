import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import t from 'tap'
import { type OutboxPool, startRelay } from '../../sdk/node/src/outbox/index.ts'
import { until } from '../support/until.ts'
import { application, endPool, event } from './application.ts'

const server = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(200).end('{}'))
}).listen(0, '127.0.0.1')
await once(server, 'listening')
t.teardown(() => {
  server.closeAllConnections()
  server.close()
})
const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

t.test('a database that stops answering is reported, and the relay continues when it answers again', async (t) => {
  const app = await application(t)
  const pool = new pg.Pool({ connectionString: app.url, max: 4 })
  t.teardown(() => endPool(pool))
  let isSilent = false
  const silent: OutboxPool = {
    query: (query) => (isSilent ? new Promise(() => {}) : pool.query(query)),
    connect: () => (isSilent ? new Promise(() => {}) : pool.connect()),
    on: (event, listener) => pool.on(event, listener),
    off: (event, listener) => pool.off(event, listener),
  }
  const relay = await startRelay(silent, { baseUrl, apiKey: 'k', databaseTimeoutMs: 200 })
  t.teardown(() => relay.stop())
  isSilent = true
  await until(() => /no answer within/.test(relay.metrics().problem ?? ''), { what: 'the problem is reported' })
  await app.enqueue(event('x'))
  isSilent = false
  await until(async () => (await app.column('select 1 from millrace.sent')).length === 1)
  await until(() => relay.metrics().problem === undefined)
})

t.test('options with which no row would be sent are refused', async (t) => {
  const app = await application(t)
  for (const option of ['concurrency', 'timeoutMs', 'databaseTimeoutMs'])
    for (const value of [0, -1, 1.5, Number.NaN])
      await t.rejects(startRelay(app.pool, { baseUrl, apiKey: 'k', [option]: value }), new RegExp(option))
  const small = new pg.Pool({ connectionString: app.url, max: 2 })
  t.teardown(() => endPool(small))
  await t.rejects(startRelay(small, { baseUrl, apiKey: 'k' }), /at least 3 connections, but `max` is 2/)
})
