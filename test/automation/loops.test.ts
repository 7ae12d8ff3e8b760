import './stack.ts'
import t from 'tap'
import { newId } from '#lib/ids.ts'
import { automating, automationWorker, publishWorkflow } from './stack.ts'

t.setTimeout(240_000)
const { databaseUrl, owner } = await automating(t)
await automationWorker(t, databaseUrl)

const sixRuns = ['0 done', '1 done', '2 done', '3 done', '4 done', '5 done', '6 loop_stopped']
const shown = ({ depth, status }: { depth: number; status: string }) => `${depth} ${status}`

t.test('a rule that starts itself stops after five rules in a row', async (t) => {
  const one = await owner()
  await publishWorkflow(one)
  const action = { type: 'workflow', workflow: 'goodbye', user_id: '{{event.data.user_id}}' }
  await one.rule({ event: 'notify.event.accepted', action })
  await one.emit('notify.event.accepted', { id: newId(), user_id: 'user-1' })
  const runs = await one.runs(7)
  t.same(runs.map(shown).sort(), sixRuns)
  t.equal((await one.ask(`POST /v1/automation/runs/${runs[0].id}/retry`)).status, 409)
})

t.test('a rule on accepted emails that sends an email stops', async (t) => {
  const one = await owner({ domain: 'echo.example' })
  const template = { name: 'T', alias: 'echo', subject: 'Hi', html: '<p>Hi</p>' }
  await one.ask('POST /send/v1/templates', { body: template })
  const action = { type: 'template', template: 'echo', to: 'staff@example.net' }
  await one.rule({ event: 'email.accepted', action, max_per_minute: 20 })
  await one.emit('email.accepted', { id: newId(), sandbox: false })
  t.same((await one.runs(7)).map(shown).sort(), sixRuns)
})

t.test('a rule on accepted emails that starts a workflow with an email stops', async (t) => {
  const one = await owner({ domain: 'circle.example' })
  await publishWorkflow(one, { steps: [{ type: 'channel', channel: 'email' }] })
  const action = { type: 'workflow', workflow: 'goodbye', user_id: 'user-2', email: 'staff@example.net' }
  await one.rule({ event: 'email.accepted', action, max_per_minute: 20 })
  await one.emit('email.accepted', { id: newId(), sandbox: false })
  t.same((await one.runs(7)).map(shown).sort(), sixRuns)
})
