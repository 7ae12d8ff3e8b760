import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { Client as CurrentClient } from '@modelcontextprotocol/client'
import { StdioClientTransport as CurrentTransport } from '@modelcontextprotocol/client/stdio'
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as EarlierTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import t from 'tap'
import { runStdioServer } from '../../sdk/node/src/mcp/index.ts'
import { mcpStack, rpc } from './stack.ts'

t.setTimeout(240_000)

const stack = await mcpStack(t)
const one = await stack.sender()
const main = fileURLToPath(new URL('../../sdk/node/src/mcp/main.ts', import.meta.url))
const env = { MILLRACE_BASE_URL: stack.url, MILLRACE_API_KEY: one.key }
const program = { command: process.execPath, args: ['--no-warnings', main], env }
const who = { name: 'test', version: '1' }

/** Starts the bridge in this process. Returns how to write a line and read the next message. */
function startBridge(options: { baseUrl?: string; apiKey?: string } = {}) {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const ended = runStdioServer({ baseUrl: stack.url, apiKey: one.key, input, output, ...options })
  const lines = createInterface({ input: output })[Symbol.asyncIterator]()
  return {
    write: (message: unknown) => input.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`),
    read: async () => JSON.parse((await lines.next()).value ?? 'null'),
    end: async () => {
      input.end()
      await ended
    },
  }
}

t.test('clients of both generations list and call tools', async (t) => {
  const earlier = new EarlierClient(who)
  await earlier.connect(new EarlierTransport(program) as never)
  t.teardown(() => earlier.close())
  const current = new CurrentClient(who, { versionNegotiation: { mode: 'auto' } } as never)
  await current.connect(new CurrentTransport(program) as never)
  t.teardown(() => current.close())
  for (const client of [earlier, current]) {
    const { tools } = await client.listTools()
    t.ok(tools.some(({ name }) => name === 'send_email'))
    const call = { name: 'list_emails', arguments: { limit: 1 } }
    t.match(await client.callTool(call), { structuredContent: { data: [] } })
  }
})

t.test('requests run at the same time, and all are answered before the end', async (t) => {
  const bridge = startBridge()
  for (let id = 1; id <= 100; id++) bridge.write(rpc('tools/call', { name: 'whoami' }, id))
  const ended = bridge.end()
  const ids = new Set<number>()
  while (ids.size < 100) ids.add((await bridge.read()).id)
  t.equal(Math.max(...ids), 100)
  await ended
})

t.test('invalid lines have an error, and the next line works', async (t) => {
  const bridge = startBridge()
  bridge.write('{')
  t.match(await bridge.read(), { id: null, error: { code: -32700 } })
  bridge.write('x'.repeat(3 * 1024 * 1024))
  t.match(await bridge.read(), { id: null, error: { code: -32600 } })
  bridge.write('')
  bridge.write({ jsonrpc: '2.0', method: 'notifications/initialized' })
  bridge.write(rpc('ping', {}, 7))
  t.match(await bridge.read(), { id: 7, result: {} })
  await bridge.end()
})

t.test('a key that is not valid, and a server that is unavailable, are errors of the request', async (t) => {
  const rejected = startBridge({ apiKey: 'bt_live_unknown' })
  rejected.write(rpc('tools/list', {}, 3))
  t.match(await rejected.read(), { id: 3, error: { data: { code: 'unauthorized' } } })
  await rejected.end()
  const away = startBridge({ baseUrl: 'http://127.0.0.1:9' })
  away.write({ ...rpc('tools/list'), id: 'a' })
  t.match(await away.read(), { id: 'a', error: { code: -32603, message: /^Millrace did not respond: / } })
  await away.end()
})

t.test('a cancelled request is ended at the server and has no response', async (t) => {
  const closed = Promise.withResolvers<void>()
  const arrived = Promise.withResolvers<void>()
  const server = createServer((req, res) => {
    res.once('close', () => closed.resolve())
    req.resume().once('end', () => arrived.resolve())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => void server.close())
  const bridge = startBridge({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
  bridge.write(rpc('tools/call', { name: 'whoami' }, 9))
  await arrived.promise
  bridge.write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 9 } })
  await closed.promise
  bridge.write('{')
  t.match(await bridge.read(), { id: null }, 'the next message is not a response to the cancelled request')
  await bridge.end()
})

t.test('without a key, the program names the variable and exits with 1', async (t) => {
  const child = spawn(process.execPath, [main], {
    env: { MILLRACE_BASE_URL: stack.url },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const said: Buffer[] = []
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk))
  const [code] = await once(child, 'close')
  t.equal(code, 1)
  t.match(Buffer.concat(said).toString(), /MILLRACE_API_KEY/)
})
