import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { isWhole } from '../support/sample.ts'
import { until } from '../support/until.ts'
import { channelStack, stranger } from './channel-stack.ts'

t.setTimeout(240_000)
const stack = await channelStack(t)
const program = fileURLToPath(new URL('./channel-worker-process.ts', import.meta.url))

async function worker() {
  const args = ['--pdeathsig=KILL', '--', process.execPath, program, stack.databaseUrl, stack.api.url]
  const child = spawn('setpriv', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  let asked = 0
  const ready = new Promise<void>((resolve) => {
    createInterface(child.stdout).on('line', (line) => {
      if (line === 'ready') resolve()
      if (line.startsWith('asked ')) asked++
    })
  })
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  t.teardown(kill)
  await ready
  return { asked: () => asked, kill }
}

const connecting = await worker()
const shop = await stack.connected()
await connecting.kill()

const Sent = z.object({ client_reference: z.string(), status: z.string(), count: z.number() })

t.test('workers are killed while they hear, answer and send: each message is answered once', async (t) => {
  const people = Array.from({ length: isWhole ? 40 : 12 }, stranger)
  const rounds = 3
  for (let round = 0; round < rounds; round++) {
    const first = await worker()
    await Promise.all(people.map((from) => shop.hear({ from, body: `round ${round}` })))
    const enough = Math.ceil(people.length / 3)
    await until(() => first.asked() >= enough, { timeout: 60_000, what: 'the worker has begun' })
    await first.kill()
    // These deaths have no cause in a job. After three of them, a job that ran each time would fail.
    await stack.db.query(sql.typeAlias('void')`delete from jobs.crashes`)
  }
  await worker()
  for (const person of people) {
    const messages = await shop.settled(person, 2 * rounds)
    t.same(
      messages.map(({ seq, role, content }) => [seq, role, content]),
      Array.from({ length: rounds }, (_, n) => [
        [2 * n + 1, 'user', `round ${n}`],
        [2 * n + 2, 'assistant', `You said: round ${n}`],
      ]).flat(),
    )
    const sent = shop.sentTo(person)
    t.equal(new Set(sent).size, sent.length, 'nothing is sent twice')
    for (const { delivery } of messages.filter(({ role }) => role === 'assistant'))
      t.ok(['sent', 'unknown'].includes(delivery.status), delivery.status)
    const unknown = messages.filter(({ delivery }) => delivery?.status === 'unknown').length
    t.ok(sent.length >= rounds - unknown, 'what is sent has arrived')
  }
  const rows = await stack.db.any(sql.type(Sent)`
    select client_reference, min(status) as status, count(*)::int4 as count from whatsapp.messages
    where client_reference is not null group by client_reference`)
  t.equal(rows.length, people.length * rounds)
  t.ok(
    rows.every(({ count }) => count === 1),
    'one message per answer',
  )
})
