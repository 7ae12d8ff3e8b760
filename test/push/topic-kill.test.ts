import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { until } from '../support/until.ts'
import { crowd } from './crowds.ts'
import { pushStack } from './stack.ts'

t.setTimeout(240_000)
const stack = await pushStack(t)
const program = fileURLToPath(new URL('./worker-process.ts', import.meta.url))

/** Milliseconds after which the job of a worker that is gone is another's. */
const leaseMs = '4000'

/** Starts a worker in a process of its own; returns what kills it. */
async function worker(): Promise<() => Promise<void>> {
  const args = ['--pdeathsig=KILL', '--', process.execPath, program, stack.databaseUrl, leaseMs]
  const child = spawn('setpriv', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  t.teardown(kill)
  const lines = createInterface(child.stdout)
  await new Promise<void>((resolve) => {
    lines.on('line', (line) => {
      if (line === 'ready') resolve()
    })
  })
  return kill
}

const made = (id: string) =>
  stack.db.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*) as count from push.deliveries where message_id = ${id}`)

t.test('a worker killed amid the expansion of a topic loses no device and doubles none', async (t) => {
  const app = await stack.app()
  await crowd(stack, { appId: app, people: 3_000, providers: ['webpush', 'sse'], topic: 'news' })
  const devices = await stack.db.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*) as count from push.installations as i where i.app_id = ${app} and exists (
      select from push.subscriptions as s where s.push_user_id = i.push_user_id
        and (s.installation_id is null or s.installation_id = i.id))`)
  const kill = await worker()
  const { body } = await stack.ask('POST /push/v1/messages', {
    body: { app_id: app, target: { type: 'topic', id: 'news' }, title: 'Hi' },
  })
  await until(async () => (await made(body.id)) > 0, { every: 2 })
  await kill()
  const before = await made(body.id)
  t.ok(before < devices, `${before} of ${devices} were made`)
  await worker()
  const begun = performance.now()
  const read = async () => (await stack.ask(`GET /push/v1/messages/${body.id}`)).body
  await until(async () => (await read()).ended_at !== null, { timeout: 90_000, what: 'the message ends' })
  t.comment(`${Math.round(performance.now() - begun)} ms from the kill`)
  t.match(await read(), { status: 'sent', counts: { devices, sent: devices, queued: 0 } })
  const Sums = z.object({ streams: z.number(), doubled: z.number(), counted: z.number(), taken: z.number() })
  const sums = await stack.db.one(sql.type(Sums)`
    select
      (select count(*) from push.deliveries where message_id = ${body.id} and provider = 'sse' and event = 1) as streams,
      (select count(*) from (select from push.attempts where message_id = ${body.id} and outcome = 'sent'
        group by delivery_id having count(*) > 1) as d) as doubled,
      (select sum(count) from push.daily where app_id = ${app} and status = 'sent')::int8 as counted,
      (select count(*) from push.users where app_id = ${app} and last_event > 1) as taken`)
  t.match(sums, { streams: 3_000, doubled: 0, counted: devices, taken: 0 })
})
