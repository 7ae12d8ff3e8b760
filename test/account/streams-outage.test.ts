import '../support/work-environment.ts'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { freePort } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { streamStack } from './stream-stack.ts'

t.setTimeout(300_000)
const stack = await streamStack(t)
const { ask } = stack
const count = 5_000

const program = fileURLToPath(new URL('stream-process.ts', import.meta.url))
async function startWorker(): Promise<ChildProcess> {
  const child = spawn(process.execPath, [program, stack.url], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return child
}
async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

await t.test('an outage of the server and two killed workers lose nothing', async (t) => {
  const got = new Map<number, Set<string>>()
  let requests = 0
  let hangs = true
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    for (const line of Buffer.concat(chunks).toString().split('\n')) {
      const { id, data } = JSON.parse(line).event
      got.set(data.n, (got.get(data.n) ?? new Set()).add(id))
    }
    requests++
    // The worker is killed before it knows that the batch was accepted.
    if (!hangs) res.end('{}')
  })
  const port = await freePort()
  const splunk = { url: `http://127.0.0.1:${port}`, token: 'the-token-of-splunk-0001' }
  const stream = await stack.create({ kind: 'splunk', sources: ['events'], batch_seconds: 1, splunk })
  const first = await startWorker()
  await stack.emit(count / 2)
  await until(async () => (await stack.read(stream.id)).status === 'failing', { what: 'the outage is noticed' })
  t.match(await stack.read(stream.id), { last_error: /ECONNREFUSED/, positions: [{ sent: 0, waiting_since: String }] })
  await kill(first)
  await stack.emit(count / 2, { from: count / 2 })

  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
  })
  const second = await startWorker()
  await ask(`POST /v1/account/streams/${stream.id}/resume`)
  await until(() => requests > 0, { what: 'the server receives a batch' })
  await kill(second)
  hangs = false
  await startWorker()
  const { sent, lost, set_aside } = await stack.settled(stream.id, 'events')
  t.same({ sent, lost, set_aside }, { sent: count, lost: 0, set_aside: 0 })
  t.equal(got.size, count, 'every record arrived')
  t.ok(
    [...got.values()].every((ids) => ids.size === 1),
    'a record that was sent twice has the same ID',
  )
})
