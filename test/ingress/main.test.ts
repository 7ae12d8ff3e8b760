import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, createServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { childEnvironment } from '../../lib/config.ts'
import { testDatabase } from '../support/database.ts'
import { ask } from '../support/ingress.ts'
import { freePort, type Scope } from '../support/postgres.ts'
import { until } from '../support/until.ts'

/** An object store that responds when the test allows it. */
async function store(t: Scope): Promise<{ url: string; waiting: ServerResponse[] }> {
  const waiting: ServerResponse[] = []
  const server = createServer(({ method }, res) => {
    // The readiness check uses HEAD. Other requests of the ingress are ignored.
    if (method === 'HEAD') waiting.push(res)
    else res.writeHead(403).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, waiting }
}

/** Starts the real process. Its log lines are added to `lines`. */
function start(t: Scope, env: Record<string, string>): { child: ChildProcess; lines: string[] } {
  const child = spawn(process.execPath, [fileURLToPath(new URL('../../ingress/main.ts', import.meta.url))], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: childEnvironment({
      LOG_LEVEL: 'info',
      S3_ACCESS_KEY: 'a',
      S3_SECRET_KEY: 'b',
      SIGNING_SECRET: 's'.repeat(32),
      ...env,
    }),
  })
  const lines: string[] = []
  child.stdout.on('data', (chunk) => lines.push(...String(chunk).split('\n')))
  t.teardown(async () => {
    child.kill('SIGKILL')
  })
  return { child, lines }
}

t.test('the ingress process', async (t) => {
  const { url } = await testDatabase(t)
  const { url: endpoint, waiting } = await store(t)
  const port = await freePort()
  const env = { DATABASE_URL: url, S3_ENDPOINT: endpoint, PORT: String(port) }
  const { child, lines } = start(t, env)
  const base = `http://127.0.0.1:${port}`
  await until(() => lines.some((line) => line.includes('"ingress ready"')))

  await t.test('says which parts are there', async (t) => {
    // Repeated if this machine was too busy for the check’s timeout.
    const ready = await until(async () => {
      const asked = ask(base, 'GET /readyz')
      const pending = await until(() => waiting.shift())
      pending.writeHead(200).end()
      const reply = await asked
      return reply.status === 200 && reply
    })
    t.match(ready, { status: 200, body: { parts: { database: 'ok', migrations: 'ok', storage: 'ok' } } })
    const away = ask(base, 'GET /v1/stream/health')
    t.match(await away, { status: 503, body: { error: { details: { database: 'ok', storage: 'away' } } } })
    waiting.length = 0
  })

  await t.test('neither logs nor repeats a playback token, be it in a path that no route has', async (t) => {
    const signature = 'c2lnbmF0dXJlIG9mIGEgdG9rZW4'
    const play = `/v1/stream/play/eyJzaWQiOiIwMWEyMDNiZCJ9.${signature}`
    const asked = [`GET ${play}`, `GET ${play}/a/b/c/master.m3u8`, `PUT ${play}/master.m3u8`, `GET ${play}/master.m3u8`]
    const asSpelt = `GET ${play.replace('.', '%2e').replace('v1', 'V1')}/embed`
    for (const request of [...asked, asSpelt]) {
      const reply = await ask(base, request)
      t.notMatch(reply.text, signature, request)
      const line = await until(() => lines.find((text) => text.includes(reply.headers.get('x-request-id') as string)))
      t.notMatch(line, signature, request)
    }
    t.match((await ask(base, 'GET /v1/no/such')).body.error.message, '/v1/no/such')
  })

  await t.test('names the port when it is taken, and how to choose another', async (t) => {
    const second = start(t, env)
    const [code] = await once(second.child, 'close')
    t.equal(code, 1)
    const told = second.lines.filter((line) => line !== '')
    t.equal(told.length, 1)
    t.match(told[0], new RegExp(`Port ${port} .* is in use.*PORT=`))
  })

  await t.test(
    'finishes what runs when it is told to end, accepts nothing more and closes its connections',
    async (t) => {
      const agent = new Agent({ keepAlive: true })
      const answer = Promise.withResolvers<IncomingMessage>()
      get(`${base}/readyz`, { agent }, answer.resolve).on('error', answer.reject)
      const pending = await until(() => waiting.shift())
      child.kill('SIGTERM')
      await until(() =>
        ask(base, 'GET /healthz').then(
          () => false,
          () => true,
        ),
      )
      pending.writeHead(200).end()
      const response = await answer.promise
      t.ok([200, 503].includes(response.statusCode ?? 0), '503 where the check’s patience was over before')
      t.equal(response.headers.connection, 'close')
      response.resume()
      const [code, signal] = await once(child, 'exit')
      t.equal(code, 0)
      t.equal(signal, null)
      agent.destroy()
    },
  )
})
