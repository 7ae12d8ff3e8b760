import { createHmac } from 'node:crypto'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { Millrace, webhooks } from '../../sdk/node/src/index.ts'
import { runStdioServer } from '../../sdk/node/src/mcp/index.ts'
import type { Scope } from '../support/postgres.ts'
import { newComputer } from './cli.ts'

t.setTimeout(180_000)

const apiKey = 'bt_test_a-key-that-nobody-may-see'

/** Starts a server that does not follow the rules of the API. */
async function hostile(t: Scope, answer: RequestListener) {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const marks = '\u001b]0;owned\u0007\u009b2J\u202e'
// biome-ignore lint/suspicious/noControlCharactersInRegex: the output cannot contain these characters.
const isUnsafe = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/

t.test('the output of a command has no control characters of the server', async (t) => {
  const url = await hostile(t, (request, response) => {
    if (request.url?.includes('/stream')) {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const body = { id: 'evt_1', type: `email.${marks}`, timestamp: marks, data: { subject: marks } }
      response.write(`id: 1\ndata: ${JSON.stringify(body)}\n\n`)
      return
    }
    const details = { scopes: [`email:send; touch /tmp/owned ${marks}`] }
    response.writeHead(403, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: { code: 'forbidden', message: `No ${marks}`, details, request_id: marks } }))
  })
  const { run, start } = await newComputer(t, { MILLRACE_BASE_URL: url, MILLRACE_API_KEY: apiKey })
  const plain = await run(['whoami'])
  t.match(plain, { code: 1, err: /^millrace-cli: No / })
  t.notMatch(plain.err, isUnsafe)
  t.notMatch(plain.err, /touch/, 'a text that is not a scope is not part of a command')
  const json = await run(['whoami', '--json'])
  t.notMatch(json.err, isUnsafe)
  t.equal(
    JSON.parse(json.err).error.details.scopes[0],
    `email:send; touch /tmp/owned ${marks}`,
    'the value is the same',
  )
  const listening = start(['listen', '--print-json'])
  const [line] = await listening.says(/^.*"subject".*$/m, 'out')
  t.notMatch(line, isUnsafe)
  t.equal(JSON.parse(line).data.subject, marks)
  await listening.kill('SIGINT')
})

t.test('a login does not store a key that requests cannot contain, and waits between its questions', async (t) => {
  const asked: number[] = []
  const url = await hostile(t, (request, response) => {
    const isToken = request.url?.endsWith('/token')
    if (isToken) asked.push(Date.now())
    response.writeHead(200, { 'content-type': 'application/json' })
    const granted = {
      secret: `bt_test_${marks}`,
      key: { id: 'k', mode: 'test', scopes: [] },
      organisation: { name: 'x' },
    }
    const pending = { device_code: 'd', user_code: 'A', expires_in: 60, interval: -1 }
    const link = `${url}/app/device`
    response.end(
      JSON.stringify(isToken ? granted : { ...pending, verification_uri: link, verification_uri_complete: link }),
    )
  })
  const { home, run } = await newComputer(t, {})
  const begun = Date.now()
  const said = await run(['login', '--url', url, '--no-browser'])
  t.match(said, { code: 1, err: /The server returned an invalid key\./ })
  t.ok((asked[0] ?? 0) - begun >= 4_900, 'an invalid interval is 5 seconds')
  await t.rejects(stat(join(home, 'config/millrace/profiles/default.json')))
})

t.test('a damaged file names its path, and a relative folder is not used', async (t) => {
  const { home, run } = await newComputer(t, {})
  const key = `${apiKey}-stored`
  const url = await hostile(t, (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end('{"key":{"id":"k","name":"n","mode":"test","scopes":[]},"organisation":{"id":"o","name":"n"}}')
  })
  const folders = { HOME: home, XDG_CONFIG_HOME: 'relative', XDG_STATE_HOME: 'relative' }
  const stored = await run(['login', '--url', url, '--with-key'], folders, key)
  t.equal(stored.code, 0, stored.err)
  const path = join(home, '.config/millrace/profiles/default.json')
  t.match(JSON.parse(await readFile(path, 'utf8')), { key })
  t.equal((await stat(path)).mode & 0o777, 0o600)
  await writeFile(path, 'null\n')
  t.match(await run(['whoami'], folders), {
    code: 1,
    err: /default\.json does not have a valid JSON object\. Delete it/,
  })
})

t.test('a list ends if the server returns the same page again, or an empty cursor', async (t) => {
  let [cursor, requests] = ['same', 0]
  const baseUrl = await hostile(t, (_, response) => {
    requests++
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ data: [{ id: requests }], next_cursor: cursor }))
  })
  const read = async () => {
    for await (const _ of new Millrace({ baseUrl, apiKey }).push.listApps()) if (requests > 10) return
  }
  await t.rejects(read(), /returned the same page again/)
  t.equal(requests, 2)
  cursor = ''
  await read()
  t.equal(requests, 3)
})

t.test('many wrong signatures cost one computation, and the right one is found behind them', async (t) => {
  const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
  const body = JSON.stringify({ type: 'a', timestamp: 'b', data: { text: 'ü'.repeat(500_000) } })
  const at = String(Math.floor(Date.now() / 1_000))
  const sign = () => createHmac('sha256', Buffer.alloc(24, 7)).update(`m.${at}.${body}`).digest('base64')
  const wrong = Array.from({ length: 3_000 }, () => 'v1,AA==').join(' ')
  const headers = (signature: string) => ({
    'Webhook-Id': 'm',
    'WEBHOOK-TIMESTAMP': at,
    'webhook-signature': `${wrong} ${signature}`,
  })
  const begun = process.cpuUsage()
  await t.rejects(webhooks.verify(body, headers(`v1a,${sign()}`), secret), /no signature for this secret/)
  const { user } = process.cpuUsage(begun)
  t.ok(user < 2_000_000, `${user / 1_000} ms`)
  t.match(await webhooks.verify(body, headers(`v1,${sign()}`), secret), { type: 'a' })
  await t.rejects(webhooks.verify(body, headers(`v1,${sign().replace(/^./, '!')}`), secret))
  await t.rejects(webhooks.verify(body, headers(`v1,${sign()}`), 'whsec_'), /must be whsec_ followed by base64/)
})

t.test('an invalid key is not part of an error of the MCP server', async (t) => {
  const started = runStdioServer({
    baseUrl: 'http://127.0.0.1:9',
    apiKey: 'bt_test_hidden\nx',
    input: (async function* () {})(),
  })
  const error = (await started.catch((failure) => failure)) as Error
  t.match(error.message, /^apiKey is empty or contains an invalid character\.$/)
})
