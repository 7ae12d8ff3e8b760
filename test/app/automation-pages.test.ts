import '../automation/stack.ts'
import t from 'tap'
import { provide } from '../../ingress/http/container.ts'
import * as services from '../../ingress/http/services.ts'
import { automating, automationWorker, publishWorkflow } from '../automation/stack.ts'
import { testIngress } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { get, signedIn, submit } from './fixture.ts'

t.setTimeout(240_000)
const { db, databaseUrl, owner } = await automating(t)
await automationWorker(t, databaseUrl)
const { url } = await testIngress(t, db, [], {
  only: ['app', 'account', 'automation', 'notify', 'email', 'jobs'],
  services: [provide(services.signingSecret, 's'.repeat(32))],
})

const placeOf = (reply: { headers: Headers }) => (reply.headers.get('location') ?? '').split('?')[0] as string

t.test('a developer creates, tests, edits, pauses and deletes a rule, and sees its runs', async (t) => {
  const one = await owner()
  const [developer, viewer] = [
    await signedIn(db, url, one.orgId, 'developer'),
    await signedIn(db, url, one.orgId, 'viewer'),
  ]
  t.match((await get(url, '/app/automation', viewer)).text, 'Your rules appear here')
  t.notMatch((await get(url, '/app/automation', viewer)).text, 'Create a rule')
  const create = '/app/automation/rules/new?event=files.object.judged&action=job'
  t.match((await get(url, create, developer)).text, /Fields of files\.object\.judged.*metadata\.…/s)
  const form = {
    ...{ name: 'Import', url: 'https://jobs.example/import', method: 'POST', mode: 'live', max_per_minute: '600' },
    ...{ path_0: 'scan_status', operator_0: 'eq', value_0: 'clean', headers: '{"authorization": "Bearer hidden"}' },
  }
  const bad = await submit(url, create, developer, {
    ...form,
    ...{ path_3: 'nothing', operator_3: 'eq', value_3: 'x', url: 'ftp://x' },
  })
  t.match(bad, { status: 400, text: /id="url-fault"/ })
  const unknown = await submit(url, create, developer, { ...form, path_3: 'nothing', operator_3: 'eq', value_3: 'x' })
  t.match(unknown, { status: 400, text: /id="path_3-fault"/ })
  t.match(await submit(url, create, developer, { ...form, body: '{' }), { status: 400, text: /id="body-fault"/ })
  const made = await submit(url, create, developer, form)
  t.equal(made.status, 303, made.text)
  const place = placeOf(made)
  const page = await get(url, place, viewer)
  t.match(page.text, /scan_status.*equals.*clean/s)
  t.notMatch(page.text, 'Bearer hidden')
  const tried = await submit(url, `${place}/test`, developer, {
    type: 'files.object.judged',
    data: '{"object_id": "1", "scan_status": "infected"}',
  })
  t.match(tried, { status: 200, text: /does not match/ })
  t.match(await submit(url, `${place}/test`, developer, { type: 'files.object.judged', data: '[]' }), { status: 400 })
  const saved = await submit(url, `${place}/edit`, developer, { ...form, headers: '', name: 'Import <b>' })
  t.equal(saved.status, 303, saved.text)
  t.match((await get(url, place, developer)).text, /Import &lt;b&gt;.*authorization/s)
  await one.emit('files.object.judged', { scan_status: 'clean' })
  const [run] = await one.runs(1)
  await until(async () => (await get(url, '/app/automation', viewer)).text.includes('>done<'))
  t.match((await get(url, `/app/automation/runs/${run.id}`, developer)).text, /Event data.*object_id/s)
  t.notMatch((await get(url, `/app/automation/runs/${run.id}`, viewer)).text, 'Event data')
  t.match((await get(url, '/app/automation/runs?status=failed', viewer)).text, 'No runs match')
  for (const step of ['pause', 'resume', 'remove'])
    t.equal((await submit(url, `${place}/${step}`, developer, {})).status, 303, step)
  t.equal((await get(url, place, developer)).status, 404)
  t.equal((await submit(url, create, viewer, form)).status, 403)
})

t.test('workflows and templates are chosen from lists', async (t) => {
  const one = await owner()
  const developer = await signedIn(db, url, one.orgId, 'developer')
  await publishWorkflow(one)
  await one.ask('POST /send/v1/templates', {
    body: { name: 'Bounce', alias: 'bounce', subject: 'Hi', html: '<p>Hi</p>' },
  })
  const flow = '/app/automation/rules/new?event=people.consent_changed&action=workflow'
  t.match((await get(url, flow, developer)).text, /<option value="goodbye"/)
  const form = { name: 'Goodbye', workflow: 'goodbye', user_id: '{{event.data.user_id}}', mode: '' }
  t.match(await submit(url, flow, developer, { ...form, link: 'ftp://x' }), { status: 400, text: /id="link-fault"/ })
  t.equal((await submit(url, flow, developer, form)).status, 303)
  const mail = '/app/automation/rules/new?event=email.bounced&action=template'
  t.match((await get(url, mail, developer)).text, /<option value="bounce"/)
  const made = await submit(url, mail, developer, {
    name: 'Bounce',
    template: 'bounce',
    to: '{{event.data.to}}',
    mode: 'live',
  })
  t.equal(made.status, 303, made.text)
  t.match((await get(url, '/app/automation', developer)).text, /Email template.*Workflow/s)
})
