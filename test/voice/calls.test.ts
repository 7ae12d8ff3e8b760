import '../support/voice-environment.ts'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { until } from '../support/until.ts'
import { bobNumber, freePort, ownNumber, type Phone, phone, startSip, trunksTo, voiceStack } from './stack.ts'

t.setTimeout(240_000)
const stack = await voiceStack(t)
const { db, databaseUrl, ask } = stack

/** Has two telephones rung up by a worker; returns the call once it is over, or has the status that is waited for. */
async function between(
  t: Test,
  scenarios: [a: string, b: string],
  { facts = {}, status, password }: { facts?: Record<string, unknown>; status?: string; password?: string } = {},
) {
  const [a, b] = await Promise.all(scenarios.map((scenario) => phone(t, scenario)) as [Promise<Phone>, Promise<Phone>])
  const stop = await startSip(t, databaseUrl, db, trunksTo(a.port, b.port, password))
  const id = await stack.call(facts)
  return { a, b, id, stop, call: await stack.reaches(id, status) }
}

/** Checks that each telephone saw its call through to the end that its scenario has: none is left up. */
async function noneLeftUp(t: Test, ...phones: Phone[]): Promise<void> {
  for (const one of phones) t.equal(await one.ended, 0, one.errors())
}

t.test('two telephones are connected, and hung up by a request', async (t) => {
  const { a, b, id, call } = await between(t, ['a', 'b'], { facts: { metadata: { deal: '7' } }, status: 'in_progress' })
  t.match(call, { legs: [{ status: 'answered', sip_status: 200 }, { status: 'answered' }], duration_seconds: null })
  t.match(await ask('GET /v1/voice/status'), { status: 200, body: { active_calls: 1, capacity: 500 } })
  t.match(await ask(`DELETE /v1/voice/calls/${id}`), { status: 200, body: { status: 'in_progress' } })
  const ended = await stack.reaches(id)
  t.match(ended, { status: 'completed', reason: 'hung_up', ended_by: 'api', caller_id: ownNumber, to: bobNumber })
  t.match(ended, { metadata: { deal: '7' }, legs: [{ status: 'completed' }, { status: 'completed' }] })
  const connectedMs = Date.parse(ended.ended_at) - Date.parse(ended.answered_at)
  t.ok(connectedMs > 0)
  t.equal(ended.duration_seconds, Math.round(connectedMs / 100) / 10)
  await noneLeftUp(t, a, b)
  t.match(await ask(`DELETE /v1/voice/calls/${id}`), { status: 200, body: { status: 'completed' } }, 'again: no change')
})

t.test('a busy B ends the call, and A is hung up', async (t) => {
  const { a, b, call } = await between(t, ['a-held', 'busy'])
  t.match(call, { status: 'busy', ended_by: 'b', legs: [{ status: 'completed' }, { status: 'busy' }] })
  await noneLeftUp(t, a, b)
})

t.test('a busy A ends the call, and B is never rung up', async (t) => {
  const { a, b, call } = await between(t, ['busy', 'b'])
  t.match(call, { status: 'busy', ended_by: 'a', answered_at: null, duration_seconds: 0 })
  t.match(call.legs[1], { status: 'canceled', ringing_at: null })
  await noneLeftUp(t, a)
  t.equal(b.process.exitCode, null, 'it waits for a call')
})

t.test('while A hangs up as B rings, B stops ringing', async (t) => {
  const { a, b, call } = await between(t, ['a-hangs-up', 'rings'])
  t.match(call, { status: 'canceled', reason: 'hung_up', ended_by: 'a', legs: [{ status: 'completed' }, {}] })
  t.match(call.legs[1], { status: 'canceled', answered_at: null })
  await noneLeftUp(t, a, b)
})

t.test('who does not answer stops ringing in time', async (t) => {
  const [a, b] = await Promise.all([phone(t, 'rings'), phone(t, 'b')])
  const id = await stack.call({ ring_timeout_seconds: 10 })
  // Shorter than may be asked for, as the test waits for it.
  await db.query(sql.typeAlias('void')`update voice.calls set ring_timeout_seconds = 1 where id = ${id}`)
  await startSip(t, databaseUrl, db, trunksTo(a.port, b.port))
  t.match(await stack.reaches(id), { status: 'no_answer', ended_by: 'a', legs: [{ status: 'no_answer' }, {}] })
  await noneLeftUp(t, a)
})

t.test('a call longer than it may be is hung up on both sides', async (t) => {
  const { a, b, call } = await between(t, ['a', 'b'], { facts: { max_duration_seconds: 1 } })
  t.match(call, { status: 'completed', reason: 'max_duration', ended_by: 'limit' })
  t.ok(call.duration_seconds >= 1)
  await noneLeftUp(t, a, b)
})

t.test('a trunk that asks for a password gets it, and a wrong one is refused', async (t) => {
  const right = await between(t, ['a-asks-password', 'b'], { password: 'secret', facts: { max_duration_seconds: 1 } })
  t.match(right.call, { status: 'completed' })
  await noneLeftUp(t, right.a, right.b)
  await right.stop()
  const wrong = await between(t, ['a-asks-password', 'b'], { password: 'wrong' })
  t.match(wrong.call, {
    status: 'failed',
    reason: 'trunk_refused',
    legs: [{ status: 'failed' }, { status: 'canceled' }],
  })
})

t.test('B puts A on hold by a re-INVITE, which is passed on', async (t) => {
  const { a, b, id } = await between(t, ['a-is-held', 'b-holds'], { status: 'in_progress' })
  const held = () =>
    db.oneFirst(sql.type(z.object({ cseq: z.number() }))`
    select (dialog ->> 'cseq')::integer as cseq from voice.legs where call_id = ${id} and leg = 'a'`)
  const before = await held()
  await until(async () => (await held()) > before, { what: 'A got the other session' })
  await ask(`DELETE /v1/voice/calls/${id}`)
  t.match(await stack.reaches(id), { status: 'completed', ended_by: 'api' })
  await noneLeftUp(t, a, b)
})

t.test('a worker that stops hangs its calls up', async (t) => {
  const { a, b, id, stop } = await between(t, ['a', 'b'], { status: 'in_progress' })
  await stop()
  t.match(await stack.reaches(id), { status: 'completed', reason: 'shutdown', ended_by: 'platform' })
  await noneLeftUp(t, a, b)
})

const program = fileURLToPath(new URL('./worker-process.ts', import.meta.url))

/** A worker process that holds calls; its kill is sudden. sipp answers where its call came from, so that the next has the same port. */
async function workerProcess(t: Test, a: Phone, b: Phone, port: number) {
  const ports = [a.port, b.port, port].map(String)
  const args = ['--pdeathsig=KILL', '--', process.execPath, program, databaseUrl, ...ports]
  const child = spawn('setpriv', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  t.teardown(kill)
  await once(child.stdout, 'data')
  return kill
}

t.test('what a killed worker left up is ended by the next: talking, and still ringing', async (t) => {
  const [a, b] = await Promise.all([phone(t, 'a'), phone(t, 'b')])
  const port = await freePort()
  const killFirst = await workerProcess(t, a, b, port)
  const talking = await stack.call()
  await stack.reaches(talking, 'in_progress')
  await killFirst()
  const [heldA, ringing] = await Promise.all([phone(t, 'a-held'), phone(t, 'rings')])
  const killSecond = await workerProcess(t, heldA, ringing, port)
  t.match(await stack.reaches(talking), { status: 'failed', reason: 'worker_lost', ended_by: 'platform' })
  await noneLeftUp(t, a, b)
  const early = await stack.call()
  const rings = () =>
    db.maybeOne(sql.typeAlias('void')`
    select from voice.legs where call_id = ${early} and leg = 'b' and status = 'ringing'`)
  await until(rings, { what: 'B rings' })
  await killSecond()
  await startSip(t, databaseUrl, db, trunksTo(heldA.port, ringing.port), { port })
  t.match(await stack.reaches(early), { status: 'failed', reason: 'worker_lost' })
  await noneLeftUp(t, heldA)
  await noneLeftUp(t, ringing)
})
