import t from 'tap'
import { bobNumber, ownNumber, phone, startSip, trunksTo, voiceStack } from './stack.ts'

t.setTimeout(90_000)
const stack = await voiceStack(t)
const { db, databaseUrl, ask } = stack

t.test('two telephones are connected, and one that hangs up ends both', async (t) => {
  const [a, b] = await Promise.all([phone(t, 'a'), phone(t, 'b')])
  await startSip(t, databaseUrl, db, trunksTo(a.port, b.port))
  const id = await stack.call({ metadata: { deal: '7' } })
  await stack.reaches(id, 'in_progress')
  await ask(`DELETE /v1/voice/calls/${id}`)
  const ended = await stack.reaches(id)
  t.match(ended, { status: 'completed', reason: 'hung_up', ended_by: 'api', caller_id: ownNumber, to: bobNumber })
  t.equal(await a.ended, 0, a.errors())
  t.equal(await b.ended, 0, b.errors())
})
