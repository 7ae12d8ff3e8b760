import './stack.ts'
import t from 'tap'
import { mailsOf } from '../notify/people.ts'
import { automating, automationWorker, job, jobsOf, publishWorkflow } from './stack.ts'

t.setTimeout(240_000)
const { db, databaseUrl, owner } = await automating(t)
await automationWorker(t, databaseUrl)

t.test('a clean file whose metadata matches creates a job with the event, and another file does not', async (t) => {
  const one = await owner()
  const conditions = [
    { path: 'scan_status', operator: 'eq', value: 'clean' },
    { path: 'metadata.kind', operator: 'in', value: ['invoice', 'receipt'] },
  ]
  const action = job({ headers: { authorization: 'Bearer secret' }, group: 'files-{{event.data.metadata.kind}}' })
  const made = await one.rule({ event: 'files.object.judged', conditions, action })
  t.equal(made.status, 201)
  t.match(made.body, {
    state: 'enabled',
    mode: 'live',
    max_per_minute: 600,
    action: { url: action.url, method: 'POST' },
  })
  t.same(made.body.action.headers, { authorization: '[masked]' })
  await one.emit('files.object.judged', { scan_status: 'clean', metadata: { kind: 'photo' } })
  await one.emit('files.object.judged', { scan_status: 'infected', metadata: { kind: 'invoice' } })
  await one.emit('files.object.judged', { scan_status: 'clean', metadata: { kind: 'invoice' } })
  const [run] = await one.runs(1)
  t.match(run, { status: 'done', event_type: 'files.object.judged', depth: 0, result: { type: 'job' }, error: null })
  const jobs = await jobsOf(db, one.orgId)
  t.equal(jobs.length, 1)
  t.match(jobs[0], { id: run.result.id, group_name: 'files-invoice', origin_kind: 'rule', origin_id: made.body.id })
  t.same(jobs[0]?.header_names, ['authorization'])
  const body = JSON.parse(jobs[0]?.body as string)
  t.match(body, { id: run.event_id, type: 'files.object.judged', data: { metadata: { kind: 'invoice' } } })
  const { body: read } = await one.ask(`GET /v1/automation/runs/${run.id}`)
  t.same(read.event, body)
})

t.test('a change of consent starts a workflow for the person', async (t) => {
  const one = await owner()
  await publishWorkflow(one)
  const action = {
    ...{ type: 'workflow', workflow: 'goodbye', user_id: '{{event.data.user_id}}' },
    ...{ title: 'You left {{event.data.channel}}', data: { channel: '{{event.data.channel}}' } },
  }
  const conditions = [{ path: 'state', operator: 'eq', value: 'denied' }]
  const made = await one.rule({ event: 'people.consent_changed', conditions, action })
  t.equal(made.status, 201, made.text)
  await one.emit('people.consent_changed', { user_id: 'user-17', channel: 'sms', state: 'denied' })
  const [run] = await one.runs(1)
  t.match(run, { status: 'done', result: { type: 'workflow' } })
  const { body: event } = await one.ask(`GET /v1/notify/events/${run.result.id}`)
  t.match(event, { subject_user_id: 'user-17', title: 'You left sms', data: { channel: 'sms' } })
  t.ok(event.run_id)
})

t.test('a bounce sends a template to the own staff, and a suppressed recipient gets nothing', async (t) => {
  const one = await owner({ domain: 'rules.example' })
  const body = {
    name: 'Bounce',
    alias: 'bounce',
    subject: 'Bounce of {{to}}',
    html: '<p>{{to}}: {{reason}}</p>',
    text: '{{to}}: {{reason}}',
  }
  const template = await one.ask('POST /send/v1/templates', { body })
  t.equal(template.status < 300, true, template.text)
  const variables = { to: '{{event.data.to}}', reason: '{{event.data.reason|"unknown"}}' }
  const action = { type: 'template', template: 'bounce', to: 'staff@example.net', variables }
  const made = await one.rule({ event: 'email.bounced', action })
  t.equal(made.status, 201, made.text)
  await one.emit('email.bounced', { to: 'gone@example.org', sandbox: false })
  const [run] = await one.runs(1)
  t.match(run, { status: 'done', result: { type: 'template' } })
  const mails = await mailsOf(db, one.orgId)
  t.same(
    mails.map(({ id, to, from, subject, stream }) => ({ id, to, from, subject, stream })),
    [
      {
        ...{ id: run.result.id, to: 'staff@example.net', from: 'notifications@rules.example' },
        ...{ subject: 'Bounce of gone@example.org', stream: 'transactional' },
      },
    ],
  )
})
