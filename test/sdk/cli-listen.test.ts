import { randomUUID } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import t from 'tap'
import * as keys from '#sql/account/keys.ts'
import { emitMany } from '#tasks/webhooks/rules/emit.ts'
import { layCable } from '../support/cable.ts'
import { testDatabase } from '../support/database.ts'
import { madeUp } from '../support/emitted.ts'
import { ask, testIngress, testOrg } from '../support/ingress.ts'
import { freePort } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { type Command, type Computer, newComputer } from './cli.ts'

t.setTimeout(240_000)
const { db } = await testDatabase(t)
const { url } = await testIngress(t, db, [], { only: ['account'] })

/** An organisation, and a computer that has its key. */
async function scene(base = url) {
  const scopes = ['account:webhooks', 'account:logs', 'account:read']
  const { org, keys: made } = await testOrg(db, scopes)
  const computer = await newComputer(t, { MILLRACE_BASE_URL: base, MILLRACE_API_KEY: made.main })
  const emit = (...ids: number[]) =>
    db.transaction((tx) =>
      emitMany(
        tx,
        ids.map((id) => madeUp(org.id, 'email.sent', { id: `m${id}`, sandbox: false })),
      ),
    )
  return { orgId: org.id, key: made.main, computer, emit }
}

interface Received {
  webhookId: string
  data: { id: string }
}

/** The server of a developer, which can be stopped. It verifies with an independent library. */
class LocalServer {
  readonly received: Received[] = []
  readonly faults: unknown[] = []
  readonly port: number
  secret = ''
  /** Handles a request instead of the usual response. */
  own: RequestListener | undefined
  #server: Server | undefined

  constructor(port: number) {
    this.port = port
  }

  async start(): Promise<void> {
    const server = createServer((request, response) => void this.#handle(request, response))
    this.#server = server
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve))
  }

  stop(): void {
    this.#server?.closeAllConnections()
    this.#server?.close()
    this.#server = undefined
  }

  get url(): string {
    return `127.0.0.1:${this.port}/hooks`
  }

  get ids(): Set<string> {
    return new Set(this.received.map(({ data }) => data.id))
  }

  async #handle(request: IncomingMessage, response: Parameters<RequestListener>[1]): Promise<void> {
    const body = await text(request)
    if (this.own) return this.own(request, response)
    try {
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
      const event = new Webhook(this.secret).verify(body, headers) as { data: { id: string } }
      this.received.push({ webhookId: headers['webhook-id'] ?? '', data: event.data })
      response.writeHead(204).end()
    } catch (error) {
      this.faults.push(error)
      response.writeHead(400).end()
    }
  }
}

async function localServer(): Promise<LocalServer> {
  const server = new LocalServer(await freePort())
  t.teardown(() => server.stop())
  return server
}

const connected = (command: Command) => command.says(/Connected\./)

/** Waits until the first position is stored. A temporary file is not a position. */
const positionStored = ({ home }: Computer) =>
  until(async () => (await readdir(join(home, 'state/millrace/listen'))).some((name) => name.endsWith('.json')), {
    what: 'the position is stored',
  })

t.test('events arrive with a signature of the printed secret, and their responses are shown', async (t) => {
  const { computer, emit } = await scene()
  const server = await localServer()
  await server.start()
  const listen = computer.start(['listen', '--forward-to', server.url])
  server.secret = (await listen.says(/Webhook secret: (whsec_\S+)/))[1] ?? ''
  await connected(listen)
  t.equal((await computer.run(['listen', '--print-secret'])).out, `${server.secret}\n`, 'the secret stays the same')
  await emit(1)
  await listen.says(/email\.sent +204 +\d+ ms +[0-9a-f-]{36}\n/, 'out')
  t.same(server.faults, [])
  t.match(server.received, [{ data: { id: 'm1' }, webhookId: /^[0-9a-f-]{36}$/ }])
  const triggered = await computer.run(['trigger', 'email.bounced', '--data', `{"id":"${randomUUID()}"}`])
  t.match(triggered, {
    code: 0,
    out: /^Sent email\.bounced as [0-9a-f-]{36}\.\n/,
    err: /`listen` receives the event\./,
  })
  await listen.says(/email\.bounced +204/, 'out')
  server.own = (_, response) => response.writeHead(500).end()
  await emit(3)
  await listen.says(/email\.sent +500/, 'out')
  server.own = (_, response) => response.destroy()
  await emit(4)
  await listen.says(/email\.sent +no response \(\S+\)/, 'out')
  const { code, err } = await listen.kill('SIGINT')
  t.equal(code, 0)
  t.match(err, /4 events received\. Run the command again/)
  for (const folder of ['state/millrace/listen', 'config/millrace/webhook-secrets']) {
    const [name = ''] = await readdir(join(computer.home, folder))
    t.equal((await stat(join(computer.home, folder, name))).mode & 0o777, 0o600)
    if (folder.startsWith('state')) t.notMatch(await readFile(join(computer.home, folder, name), 'utf8'), 'whsec_')
  }
})

t.test('no event is lost: the local server is down, the connection is cut, and the command is killed', async (t) => {
  const cable = await layCable(t, url)
  const { computer, emit } = await scene(cable.url)
  const server = await localServer()
  const line = ['listen', '--forward-to', server.url, '--concurrency', '4']
  const first = computer.start(line)
  server.secret = (await first.says(/Webhook secret: (whsec_\S+)/))[1] ?? ''
  await connected(first)
  let sent = 0
  const emitNext = async (count: number) => {
    const ids = Array.from({ length: count }, () => sent++)
    for (const id of ids) await emit(id)
  }
  const arrived = (count: number) =>
    until(() => server.ids.size >= count, { what: `${count} events arrive, not ${server.ids.size}` })

  await emitNext(50)
  await first.says(/does not accept connections \(ECONNREFUSED\)\. The events wait\./)
  await server.start()
  await arrived(50)
  await first.says(/accepts connections again/)

  const emitting = emitNext(50)
  await arrived(60)
  cable.cut()
  await first.says(/was lost/)
  await emitting
  cable.mend()
  await arrived(100)

  const more = emitNext(50)
  await arrived(110)
  await first.kill('SIGKILL')
  await more
  const second = computer.start(line)
  await second.says(/Continuing after the last event/)
  await arrived(150)

  server.stop()
  await emitNext(25)
  await second.says(/does not accept connections/)
  await second.kill('SIGKILL')
  await emitNext(25)
  await server.start()
  const third = computer.start(line)
  await arrived(200)
  t.equal((await third.kill('SIGTERM')).code, 0)
  t.same(server.faults, [], 'each request is signed')
  t.equal(new Set(server.received.map(({ webhookId }) => webhookId)).size, 200, 'a repeated event has the same ID')
  t.ok(server.received.length < 260, `${server.received.length} requests for 200 events`)
})

t.test('a command that is killed before the first event continues at its start', async (t) => {
  const { computer, emit } = await scene()
  const server = await localServer()
  await server.start()
  const line = ['listen', '--forward-to', server.url, '--secret', `whsec_${Buffer.alloc(32, 7).toString('base64')}`]
  server.secret = line.at(-1) ?? ''
  const first = computer.start(line)
  await connected(first)
  await positionStored(computer)
  await first.kill('SIGKILL')
  await emit(1, 2)
  const second = computer.start(line)
  await until(() => server.ids.size === 2)
  await second.kill('SIGKILL')
  await emit(3)
  const third = computer.start([...line, '--from-now'])
  await connected(third)
  await emit(4)
  await until(() => server.ids.has('m4'))
  t.notOk(server.ids.has('m3'), '--from-now skips missed events')
  await third.kill('SIGINT')
})

t.test('slow responses do not stop other events, and Ctrl-C ends the command', async (t) => {
  const { computer, emit } = await scene()
  const server = await localServer()
  await server.start()
  let waiting = 0
  server.own = () => {
    waiting++
  }
  const listen = computer.start(['listen', '--forward-to', server.url, '--concurrency', '3', '--json'])
  await positionStored(computer)
  await emit(...Array.from({ length: 10 }, (_, i) => i))
  await until(() => waiting === 3)
  const { code, out } = await listen.kill('SIGINT')
  t.equal(code, 0)
  t.equal(waiting, 3, 'the number of requests at the same time is limited')
  t.equal(out, '', 'an event without a response is not reported as received')
})

t.test('types filter, and the output is the body of each event', async (t) => {
  const { computer, emit, key } = await scene()
  const listen = computer.start(['listen', '--events', 'email.bounced,account.*', '--print-json'])
  await connected(listen)
  await emit(1)
  await computer.run(['trigger', 'email.bounced'])
  const [line] = await listen.says(/^\{.*\}$/m, 'out')
  t.match(JSON.parse(line), { type: 'email.bounced', timestamp: /Z$/, data: { id: /./ } })
  t.notMatch(listen.out, 'email.sent')
  await listen.kill('SIGINT')
  const wrong = await computer.run(['listen', '--events', 'mail.sent'])
  t.match(wrong, { code: 1, err: /query\.types:? must contain only event types/ })
  t.notMatch(wrong.err, key)
  t.match(await computer.run(['trigger', 'email.bouncd']), {
    code: 1,
    err: /body\.type:? must be an event type such as .*email\.bounced/,
  })
})

t.test('logs tail shows new requests, filters them, and continues after a cut', async (t) => {
  const cable = await layCable(t, url)
  const { computer, key } = await scene(cable.url)
  const tail = computer.start(['logs', 'tail', '--status', '4xx', '--operation', 'account.keys.list'])
  await tail.says(/Waiting for requests/)
  const fail = () => ask(url, 'GET /v1/account/keys?limit=x', { key })
  await ask(url, 'GET /v1/account/whoami', { key })
  t.equal((await fail()).status, 403)
  await tail.says(/ 403 +\d+ ms +account\.keys\.list +[0-9a-f-]{36} +forbidden\n/, 'out')
  cable.cut()
  await tail.says(/was lost/)
  await fail()
  cable.mend()
  await until(() => tail.out.split('\n').length === 3, { what: 'the missed request is shown once' })
  t.notMatch(tail.out, 'whoami')
  t.equal((await tail.kill('SIGINT')).code, 0)
  const past = computer.start(['logs', 'tail', '--since', '10m', '--json'], { MILLRACE_BASE_URL: url })
  const [line] = await past.says(/^\{.*account\.keys\.list.*\}$/m, 'out')
  t.match(JSON.parse(line), { status: 403, code: 'forbidden' })
  await past.kill('SIGINT')
})

t.test('a revoked key ends the command with the next step', async (t) => {
  const { orgId, computer } = await scene()
  const listen = computer.start(['listen'])
  await connected(listen)
  const [key] = await keys.list(db, orgId)
  await keys.revoke(db, orgId, key?.id as string)
  const { code, err } = await listen.ended()
  t.equal(code, 1)
  t.match(err, /Replace the key in MILLRACE_API_KEY, or unset it and log in again: millrace-cli login/)
})

t.test('a wrong server is reported immediately', async (t) => {
  const { computer } = await scene()
  const away = `http://127.0.0.1:${await freePort()}`
  t.match(await computer.run(['listen'], { MILLRACE_BASE_URL: away }), {
    code: 1,
    err: /cannot be reached: ECONNREFUSED/,
  })
  const other = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<p>Hello'))
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  t.teardown(() => other.close())
  const base = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
  t.match(await computer.run(['listen'], { MILLRACE_BASE_URL: base }), {
    code: 1,
    err: /did not return a stream of events/,
  })
})
