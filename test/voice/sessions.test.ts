import '../support/voice-environment.ts'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { emittedTo } from '../support/emitted.ts'
import { freePort, type Phone, phone, startSip, trunksTo, voiceStack } from './stack.ts'

t.setTimeout(240_000)
const stack = await voiceStack(t)
const { db, databaseUrl, ask } = stack

/** Far shorter than a session may be, as the test waits for it. */
const session = { expires: 4, least: 2 }

const endedOf = (id: string) =>
  emittedTo(stack.orgId).flatMap(({ type, data }) =>
    type === 'voice.call.ended' && 'id' in data && data.id === id ? [data] : [],
  )

async function between(t: Test, a: string, b: string): Promise<{ a: Phone; b: Phone; id: string }> {
  const phones = await Promise.all([phone(t, a), phone(t, b)])
  const stop = await startSip(t, databaseUrl, db, trunksTo(phones[0].port, phones[1].port), { session })
  t.teardown(stop)
  return { a: phones[0], b: phones[1], id: await stack.call() }
}

t.test('a call whose telephone answers no refresh any more is ended on both sides, and told so once', async (t) => {
  const { a, b, id } = await between(t, 'a', 'b-is-refreshed')
  const ended = await stack.reaches(id)
  t.match(ended, { status: 'completed', reason: 'session_expired', ended_by: 'b' })
  t.ok(ended.duration_seconds >= 3, 'one refresh was answered')
  for (const one of [a, b]) t.equal(await one.ended, 0, one.errors())
  t.match(endedOf(id), [{ reason: 'session_expired', duration_seconds: ended.duration_seconds }])
  t.equal(endedOf(id).length, 1)
})

t.test('a telephone that refreshes is told how often it may, and ends the call by ceasing to', async (t) => {
  const { a, b, id } = await between(t, 'a', 'b-refreshes')
  t.match(await stack.reaches(id), { status: 'completed', reason: 'session_expired', ended_by: 'b' })
  for (const one of [a, b]) t.equal(await one.ended, 0, one.errors())
})

t.test('a trunk that wants longer sessions is called again with those', async (t) => {
  const { a, b, id } = await between(t, 'a', 'b-wants-longer')
  await stack.reaches(id, 'in_progress')
  t.equal((await ask(`DELETE /v1/voice/calls/${id}`)).status, 200)
  t.match(await stack.reaches(id), { status: 'completed', reason: 'hung_up' })
  for (const one of [a, b]) t.equal(await one.ended, 0, one.errors())
})

t.test('the end of a call whose worker was killed is told once, with its seconds', async (t) => {
  const [a, b] = await Promise.all([phone(t, 'a'), phone(t, 'b')])
  const program = fileURLToPath(new URL('./worker-process.ts', import.meta.url))
  const port = await freePort()
  const ports = [a.port, b.port, port].map(String)
  const child = spawn('setpriv', ['--pdeathsig=KILL', '--', process.execPath, program, databaseUrl, ...ports], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const gone = once(child, 'close')
  t.teardown(() => child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  const id = await stack.call()
  await stack.reaches(id, 'in_progress')
  child.kill('SIGKILL')
  await gone
  await startSip(t, databaseUrl, db, trunksTo(a.port, b.port), { port })
  const ended = await stack.reaches(id)
  t.match(ended, { status: 'failed', reason: 'worker_lost', ended_by: 'platform' })
  t.match(endedOf(id), [{ status: 'failed', reason: 'worker_lost', duration_seconds: ended.duration_seconds }])
  t.equal(endedOf(id).length, 1)
  for (const one of [a, b]) t.equal(await one.ended, 0, one.errors())
})
