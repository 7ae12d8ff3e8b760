import './stack.ts'
import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import { perform } from '#tasks/automation/perform.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { mailsOf } from '../notify/people.ts'
import { testOrg } from '../support/ingress.ts'
import { automating, automationWorker, job, jobsOf, publishWorkflow } from './stack.ts'

t.setTimeout(240_000)
const { db, databaseUrl, ingress, owner } = await automating(t)
await automationWorker(t, databaseUrl)

const clean = 'files.object.clean'
const runId = z.object({ id: z.string() })
const codes = z.object({ status: z.string(), error_code: z.string().nullable() })

t.test('an event, its run and its job are one transaction', async (t) => {
  const one = await owner()
  await one.rule({ event: clean })
  await t.rejects(
    db.transaction(async (tx) => {
      await one.emitIn(tx, [{ type: clean }])
      throw new Error('rolled back')
    }),
    { message: 'rolled back' },
  )
  const { body } = await one.ask('GET /v1/automation/runs')
  t.same(body.data, [])
})

t.test('10,000 events in one transaction start one run each, and nothing twice', async (t) => {
  const one = await owner()
  await one.rule({ event: clean, max_per_minute: 6_000 })
  await one.rule({ event: 'files.*', conditions: [{ path: 'byte_size', operator: 'gt', value: 9_999 }] })
  const events = Array.from({ length: 5_000 }, (_, n) => ({ type: clean, data: { byte_size: n } }) as const)
  await one.emitMany(events)
  await one.idle()
  const count = sql.typeAlias('count')`
    select count(*) from automation.runs where org_id = ${one.orgId} and status = 'done'`
  t.equal(await db.oneFirst(count), 5_000)
  t.equal((await jobsOf(db, one.orgId)).length, 5_000)
  const ids = await db.anyFirst(sql.type(runId)`select id from automation.runs where org_id = ${one.orgId} limit 50`)
  await enqueue(db, perform, { runIds: [...ids] })
  await one.idle()
  t.equal((await jobsOf(db, one.orgId)).length, 5_000)
})

t.test('a rule over its limit per minute records its runs as limited, and a retry performs one', async (t) => {
  const one = await owner()
  const { body: rule } = await one.rule({ event: clean, max_per_minute: 3 })
  await one.emitMany(Array.from({ length: 10 }, () => ({ type: clean })))
  const runs = await one.runs(10)
  const limited = runs.filter(({ status }) => status === 'limited')
  // Ten events can be in two minutes.
  t.ok(limited.length >= 4 && limited.length <= 7, String(limited.length))
  t.match(limited[0].error, { code: 'limited', message: /max_per_minute/ })
  const retried = await one.ask(`POST /v1/automation/runs/${limited[0].id}/retry`)
  t.match(retried, { status: 200, body: { status: 'waiting', retries: 1, rule_id: rule.id } })
  await one.runs(10)
  t.match((await one.ask(`GET /v1/automation/runs/${limited[0].id}`)).body, { status: 'done' })
  t.equal((await one.ask(`POST /v1/automation/runs/${limited[0].id}/retry`)).status, 409)
})

t.test('an email of a workflow that a rule has started is known as the result of a rule', async (t) => {
  const one = await owner({ domain: 'loops.example' })
  await publishWorkflow(one, { steps: [{ type: 'channel', channel: 'email' }] })
  const action = { type: 'workflow', workflow: 'goodbye', user_id: 'user-2', email: 'staff@example.net' }
  await one.rule({ event: 'email.bounced', action })
  await one.emit('email.bounced', { sandbox: false })
  await one.runs(1)
  await one.idle()
  const [mail] = await mailsOf(db, one.orgId)
  t.ok(mail)
  await one.emit('email.bounced', { id: mail?.id, sandbox: false })
  const [second] = await one.runs(2)
  t.equal(second.depth, 1)
})

t.test('a deleted template, an unpublished workflow and a missing value fail with a clear error', async (t) => {
  const one = await owner({ domain: 'gone.example' })
  await publishWorkflow(one)
  const template = { name: 'T', alias: 'gone', subject: 'Hi', html: '<p>Hi</p>' }
  const { body: made } = await one.ask('POST /send/v1/templates', { body: template })
  await one.rule({
    event: 'email.bounced',
    name: 'mail',
    action: { type: 'template', template: 'gone', to: 'a@example.net' },
  })
  await one.rule({
    event: 'email.bounced',
    name: 'flow',
    action: { type: 'workflow', workflow: 'goodbye', user_id: 'u' },
  })
  await one.rule({ event: 'email.bounced', name: 'empty', action: job({ body: { c: '{{event.data.campaign_id}}' } }) })
  await one.rule({ event: 'email.bounced', name: 'sound', action: job({ body: 'to {{event.data.to}}' }) })
  t.equal((await one.ask(`DELETE /send/v1/templates/${made.id}`)).status, 200)
  t.equal((await one.ask('POST /v1/notify/workflows/goodbye/unpublish')).status, 200)
  await one.emit('email.bounced', { sandbox: false, campaign_id: null })
  const runs = await one.runs(4)
  const of = (name: string) => runs.find(({ rule_name }) => rule_name === name)
  t.match(of('mail'), { status: 'failed', error: { code: 'template_missing' } })
  t.match(of('flow'), { status: 'failed', error: { code: 'workflow_not_published', message: /Publish it/ } })
  t.match(of('empty'), {
    status: 'failed',
    error: { code: 'invalid_value', message: /\{\{event\.data\.campaign_id\}\}/ },
  })
  t.match(of('sound'), { status: 'done' })
  t.same(
    (await jobsOf(db, one.orgId)).map(({ body }) => body),
    ['to ada@example.org'],
  )
  await one.ask('POST /v1/notify/workflows/goodbye/publish')
  t.equal((await one.ask(`POST /v1/automation/runs/${of('flow').id}/retry`)).status, 200)
  await one.runs(4)
  t.match((await one.ask(`GET /v1/automation/runs/${of('flow').id}`)).body, { status: 'done', error: null })
})

t.test('a suppressed recipient gets no email, and a domain that is not verified is an error', async (t) => {
  const one = await owner({ domain: 'quiet.example' })
  await one.ask('POST /send/v1/templates', { body: { name: 'T', alias: 't', subject: 'Hi', html: '<p>Hi</p>' } })
  await one.ask('POST /send/v1/suppressions', { body: { email: 'no@example.net' } })
  const action = { type: 'template', template: 't', to: 'no@example.net' }
  await one.rule({ event: clean, action })
  await one.rule({ event: clean, name: 'from', action: { ...action, from: 'a@other.example' } })
  await one.emit(clean)
  const runs = await one.runs(2)
  const sent = runs.find(({ rule_name }) => rule_name === 'Rule')
  t.match(sent, { status: 'done' })
  t.match((await one.ask(`GET /send/v1/messages/${sent.result.id}`)).body, { status: 'suppressed' })
  t.match(
    runs.find(({ rule_name }) => rule_name === 'from'),
    { status: 'failed', error: { code: 'domain_not_verified' } },
  )
})

t.test('rules run for events of their mode only, and test events stay in the sandbox', async (t) => {
  const one = await owner({ domain: 'modes.example' })
  await one.ask('POST /send/v1/templates', { body: { name: 'T', alias: 't', subject: 'Hi', html: '<p>Hi</p>' } })
  const action = { type: 'template', template: 't', to: 'a@example.net' }
  await one.rule({ event: 'email.bounced', name: 'live', action })
  await one.rule({ event: 'email.bounced', name: 'test', mode: 'test', action })
  await one.emit('email.bounced', { sandbox: true })
  const runs = await one.runs(1)
  t.equal(runs.length, 1)
  t.match(runs[0], { rule_name: 'test', sandbox: true, status: 'done' })
  t.match((await one.ask(`GET /send/v1/messages/${runs[0].result.id}`)).body, { sandbox: true })
  await one.emit('email.bounced', { sandbox: false })
  t.match(await one.runs(2), [{ rule_name: 'live', sandbox: false }, { rule_name: 'test' }])
})

t.test('one organisation sees and starts nothing of another', async (t) => {
  const [one, other] = [await owner(), await owner()]
  const { body: rule } = await one.rule({ event: clean })
  await other.emit(clean)
  await one.emit(clean)
  const [run] = await one.runs(1)
  t.same((await other.ask('GET /v1/automation/runs')).body.data, [])
  t.same((await other.ask('GET /v1/automation/rules')).body.data, [])
  for (const call of [
    'GET rules/R',
    'PATCH rules/R',
    'DELETE rules/R',
    'POST rules/R/pause',
    'POST rules/R/test',
    'GET runs/N',
    'POST runs/N/retry',
  ]) {
    const [method, path = ''] = call.split(' ')
    const place = path.replace('R', rule.id).replace('N', run.id)
    const { status } = await other.ask(
      `${method} /v1/automation/${place}`,
      method === 'GET' || method === 'DELETE' ? {} : { body: {} },
    )
    t.equal(status, 404, call)
  }
})

t.test('paused and deleted rules start nothing, and waiting runs of a deleted rule fail', async (t) => {
  const one = await owner()
  const { body: rule } = await one.rule({ event: clean })
  t.match((await one.ask(`POST /v1/automation/rules/${rule.id}/pause`)).body, { state: 'paused' })
  await one.emit(clean)
  t.match((await one.ask(`POST /v1/automation/rules/${rule.id}/resume`)).body, { state: 'enabled' })
  await db.transaction(async (tx) => {
    await one.emitIn(tx, [{ type: clean }])
    await tx.query(sql.typeAlias('void')`
      update automation.rules set state = 'deleted', secret_headers = null where id = ${rule.id}`)
  })
  const runs = await one.runs(1)
  t.match(runs, [{ status: 'failed', error: { code: 'rule_deleted' } }])
  t.equal((await one.ask(`GET /v1/automation/rules/${rule.id}`)).status, 404)
  t.match((await one.ask(`GET /v1/automation/runs/${runs[0].id}`)).body, { rule_name: 'Rule' })
})

t.test('a closed organisation starts no action', async (t) => {
  const one = await owner()
  await one.rule({ event: clean })
  await db.transaction(async (tx) => {
    await one.emitIn(tx, [{ type: clean }])
    await tx.query(sql.typeAlias('void')`
      insert into account.closures (id, org_id, requested_by_kind, due_at)
      values (${newId()}, ${one.orgId}, 'operator', now() + interval '1 day')`)
  })
  await one.idle()
  const found = await db.any(sql.type(codes)`
    select status, error_code from automation.runs where org_id = ${one.orgId}`)
  t.same(found, [{ status: 'failed', error_code: 'organisation_closed' }])
  t.same(await jobsOf(db, one.orgId), [])
})

t.test('a caller needs the scope of the action, and a locked or test key manages no rules', async (t) => {
  const one = await owner({ scopes: ['automation:write', 'email:send'] })
  const refused = await one.rule({ event: clean })
  t.match(refused, { status: 403, body: { error: { message: /`jobs:write`/ } } })
  const reader = await owner({ scopes: ['automation:read'] })
  t.equal((await reader.rule({ event: clean })).status, 403)
  t.equal((await reader.ask('GET /v1/automation/rules')).status, 200)
  const { keys } = await testOrg(db, [], {
    keys: { test: { prefix: 'bt_test_', scopes: ['automation:write', 'jobs:write'] } },
  })
  const { status } = await ingress.ask('GET /v1/automation/rules', { key: keys.test })
  t.equal(status, 403)
})

t.test('headers are kept for the same origin only, and never shown', async (t) => {
  const one = await owner()
  const action = job({ headers: { authorization: 'Bearer one' } })
  const { body: rule } = await one.rule({ event: clean, action })
  const place = `/v1/automation/rules/${rule.id}`
  const kept = await one.ask(`PATCH ${place}`, { body: { action: job({ url: 'https://jobs.example/other' }) } })
  t.same(kept.body.action.headers, { authorization: '[masked]' })
  const moved = await one.ask(`PATCH ${place}`, { body: { action: job({ url: 'https://evil.example/' }) } })
  t.match(moved, { status: 400, body: { error: { details: [{ field: 'body.action.headers' }] } } })
  const removed = await one.ask(`PATCH ${place}`, {
    body: { action: job({ url: 'https://evil.example/', headers: {} }) },
  })
  t.equal(removed.body.action.headers, undefined)
  t.notMatch(JSON.stringify(await one.ask(`GET ${place}`)), 'Bearer one')
})

t.test('a test shows what a rule would do, and creates nothing', async (t) => {
  const one = await owner()
  const conditions = [{ path: 'product_key', operator: 'eq', value: 'shop' }]
  const { body: rule } = await one.rule({
    event: clean,
    conditions,
    action: job({ body: { f: '{{event.data.object_id}}' } }),
  })
  const call = `POST /v1/automation/rules/${rule.id}/test`
  const shown = await one.ask(call, { body: {} })
  t.match(shown.body, { matches: true, reason: null, error: null, action: { type: 'job', body: { f: /^0198/ } } })
  const unmet = await one.ask(call, { body: { data: { product_key: 'other' } } })
  t.match(unmet.body, { matches: false, reason: 'condition', unmet: { path: 'product_key' } })
  t.match((await one.ask(call, { body: { type: 'email.bounced' } })).body, { matches: false, reason: 'event' })
  t.same((await one.ask('GET /v1/automation/runs')).body.data, [])
  t.same(await jobsOf(db, one.orgId), [])
})

t.test('an organisation can have 50 rules', async (t) => {
  const one = await owner()
  const made = await Promise.all(Array.from({ length: 52 }, () => one.rule({ event: clean, action: job() })))
  t.equal(made.filter(({ status }) => status === 201).length, 50)
  t.match(
    made.find(({ status }) => status !== 201),
    { status: 409, body: { error: { code: 'too_many_rules' } } },
  )
})
