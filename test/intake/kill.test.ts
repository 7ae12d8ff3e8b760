import '../support/work-environment.ts'
import t from 'tap'
import { ask } from '../support/ingress.ts'
import { startProcess } from '../support/killed-process.ts'
import { freePort } from '../support/postgres.ts'
import { isWhole } from '../support/sample.ts'
import { until } from '../support/until.ts'
import { receiver } from './receiver.ts'
import { intakeStack, openssl } from './stack.ts'

t.setTimeout(isWhole ? 1_200_000 : 240_000)
const rounds = isWhole ? 20 : 2
const { add, databaseUrl } = await intakeStack(t)
const server = await receiver(t)
const program = new URL('./kill-process.ts', import.meta.url)
const secret = 'secret-of-the-source'
const form = { provider: 'hmac', secret, hmac: { header: 'x-sig', event_id_path: 'id' } }

t.test('no answered webhook is lost when the ingress and the workers are killed', async (t) => {
  const source = await add({ name: 'killed', ...form, forward: { url: `${server.url}/killed` } })
  const path = new URL(source.url).pathname
  const port = await freePort()
  // A response after a moment, so that a killed worker has requests in progress.
  server.answer = (_, response) => void setTimeout(() => response.writeHead(204).end(), 30)
  const answered: string[] = []
  let sent = 0
  for (let round = 0; round < rounds; round++) {
    const killIngress = await startProcess(t, program, ['ingress', databaseUrl, String(port)])
    const killWorker = await startProcess(t, program, ['worker', databaseUrl])
    const before = answered.length
    const stop = new AbortController()
    const senders = Array.from({ length: 8 }, async () => {
      while (!stop.signal.aborted) {
        const id = `k${sent++}`
        const body = JSON.stringify({ id })
        const headers = { 'x-sig': openssl('sha256', secret, body) }
        const reply = await ask(`http://127.0.0.1:${port}`, `POST ${path}`, { raw: body, headers }).catch(
          () => undefined,
        )
        if (reply?.status === 200) answered.push(id)
      }
    })
    await until(() => answered.length >= before + 40, { every: 2, timeout: 60_000 })
    await killIngress()
    stop.abort()
    await Promise.all(senders)
    await killWorker()
  }
  await startProcess(t, program, ['worker', databaseUrl])
  const arrived = () => new Set(server.arrived.map(({ body }) => JSON.parse(body.toString()).id as string))
  await until(() => answered.every((id) => arrived().has(id)), { timeout: 60_000, what: 'every answered one arrives' })
  const counts = Map.groupBy(server.arrived, ({ body }) => JSON.parse(body.toString()).id as string)
  const twice = [...counts.values()].filter((all) => all.length > 1).length
  t.ok(answered.length >= 40 * rounds)
  t.ok(twice <= rounds * 64, `${twice} were sent twice: at most those in progress`)
})
