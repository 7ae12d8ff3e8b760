import '../support/newcomer-environment.ts'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import t from 'tap'
import { startTelephones } from '../../ops/embedded/telephones/server.ts'
import { openTone } from '../../ops/embedded/telephones/tone.ts'
import { readTrunks, type Trunk } from '../../workers/voice/trunk.ts'
import { testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { annNumber, bobNumber, startSip, voiceStack } from './stack.ts'

t.setTimeout(240_000)
const stack = await voiceStack(t)
const telephones = await startTelephones({ host: '127.0.0.1', port: 0 })
t.teardown(() => telephones.close())
const trunks = readTrunks([`sandbox=sip:127.0.0.1:${telephones.port}`], []) as [Trunk]
await startSip(t, stack.databaseUrl, stack.db, trunks)

t.test('an organisation without a number calls, both are answered, and it hangs up', async (t) => {
  const { keys } = await testOrg(stack.db, ['voice:call'])
  const key = keys.main
  const made = await stack.ask('POST /v1/voice/click-to-call', { key, body: { from: annNumber, to: bobNumber } })
  t.match(made, { status: 200, body: { status: 'queued', caller_id: '+3726000001' } }, made.text)
  const read = async () => (await stack.ask(`GET /v1/voice/calls/${made.body.id}`, { key })).body
  await until(async () => (await read()).status === 'in_progress', { what: 'the two are connected' })
  t.match(await read(), { legs: [{ status: 'answered' }, { status: 'answered' }] })
  await stack.ask(`DELETE /v1/voice/calls/${made.body.id}`, { key })
  await until(async () => (await read()).ended_at !== null, { what: 'it is hung up' })
  t.match(await read(), { status: 'completed', ended_by: 'api' })
})

t.test('the shared number is for its own country, and for who asks for no other', async (t) => {
  const { keys } = await testOrg(stack.db, ['voice:call'])
  const call = (body: object) => stack.ask('POST /v1/voice/click-to-call', { key: keys.main, body })
  t.match(await call({ from: annNumber, to: '+442079460000' }), { status: 403 })
  t.match(await call({ from: annNumber, to: bobNumber, caller_id: '+3726000002' }), { status: 400 })
})

t.test('who is called hears a tone', async (t) => {
  const ear = createSocket('udp4').bind(0, '127.0.0.1')
  await once(ear, 'listening')
  const tone = await openTone('127.0.0.1')
  tone.sendTo(ear.address().port)
  const [packet] = (await once(ear, 'message')) as [Buffer]
  t.same([packet.length, packet[0], packet[1]], [172, 0x80, 0x88])
  t.ok(new Set(packet.subarray(12)).size > 10, 'no silence')
  tone.close()
  ear.close()
})
