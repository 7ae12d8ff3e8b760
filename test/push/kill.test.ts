import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { until } from '../support/until.ts'
import { manyDevices, pushStack } from './stack.ts'

t.setTimeout(240_000)
const stack = await pushStack(t)
const program = fileURLToPath(new URL('./worker-process.ts', import.meta.url))

/** Starts a worker; `sent` are the tokens that its provider was given. */
async function worker() {
  const args = ['--pdeathsig=KILL', '--', process.execPath, program, stack.databaseUrl]
  const child = spawn('setpriv', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  t.teardown(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const sent: string[] = []
  const lines = createInterface(child.stdout)
  const ready = new Promise<void>((resolve) => {
    lines.on('line', (line) => {
      if (line === 'ready') resolve()
      if (line.startsWith('sent ')) sent.push(line.slice(5))
    })
  })
  await ready
  return {
    sent,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

t.test(
  'workers that are killed leave each device one outcome, and a mark where it may have been sent twice',
  async (t) => {
    const app = await stack.app()
    await manyDevices(stack, { appId: app, userId: 'crowd', provider: 'webpush', count: 6_000 })
    const first = await worker()
    const { id } = await stack.send(app, 'crowd')
    await until(() => first.sent.length > 0, { every: 2 })
    await first.kill()
    const second = await worker()
    await until(() => second.sent.length > 1_000, { every: 2 })
    await second.kill()
    const third = await worker()
    const ended = await stack.ended(id)
    t.match(ended, { status: 'sent', counts: { devices: 6_000, sent: 6_000, queued: 0, failed: 0 } })

    const all = [...first.sent, ...second.sent, ...third.sent]
    const times = new Map<string, number>()
    for (const token of all) times.set(token, (times.get(token) ?? 0) + 1)
    t.equal(times.size, 6_000, 'every device was sent to')
    const again = [...times].filter(([, count]) => count > 1).map(([token]) => token)
    t.ok(again.length > 0, `${again.length} were in flight at a kill`)
    const marked = new Set(
      await stack.db.anyFirst(sql.type(z.object({ token: z.string() }))`
      select i.token from push.attempts as a join push.deliveries as d on d.id = a.delivery_id
      join push.installations as i on i.id = d.installation_id
      where a.message_id = ${id} and a.outcome = 'unknown' and a.reason = 'worker_lost'`),
    )
    t.same(
      again.filter((token) => !marked.has(token)),
      [],
      'each of them is marked',
    )
    const outcomes = await stack.db.one(sql.type(z.object({ sent: z.number(), most: z.number(), counted: z.number() }))`
    select count(*) as sent, max(times) as most,
      (select sum(count) from push.daily where app_id = ${app} and status = 'sent') as counted
    from (select count(*) as times from push.attempts where message_id = ${id} and outcome = 'sent' group by delivery_id) as d`)
    t.same(outcomes, { sent: 6_000, most: 1, counted: 6_000 })
  },
)
