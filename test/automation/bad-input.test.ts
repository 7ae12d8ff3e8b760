import './stack.ts'
import t from 'tap'
import { newId } from '#lib/ids.ts'
import { fieldsOf } from '../support/ingress.ts'
import { automating, job, publishWorkflow } from './stack.ts'

t.setTimeout(240_000)
const { owner } = await automating(t)
const one = await owner()
await publishWorkflow(one)
await one.ask('POST /send/v1/templates', { body: { name: 'T', alias: 't', subject: 'Hi', html: '<p>Hi</p>' } })

const rule = { name: 'Rule', event: 'files.object.judged', action: job() }
const { body: made } = await one.rule(rule)
const condition = { path: 'scan_status', operator: 'eq', value: 'clean' }
const flow = { type: 'workflow', workflow: 'goodbye', user_id: 'u' }
const mail = { type: 'template', template: 't', to: 'a@example.net' }
const create = 'POST /v1/automation/rules'
const change = `PATCH /v1/automation/rules/${made.id}`
const trial = `POST /v1/automation/rules/${made.id}/test`

const withConditions = (...conditions: unknown[]) => ({ ...rule, conditions })
const withAction = (action: unknown) => ({ ...rule, action })

const cases: readonly [request: string, body: unknown, fields: readonly string[]][] = [
  [create, {}, ['body.action', 'body.event', 'body.name']],
  [create, [], ['body']],
  [create, { ...rule, name: '' }, ['body.name']],
  [create, { ...rule, name: 'a\nb' }, ['body.name']],
  [create, { ...rule, name: 'a\u0000' }, ['body.name']],
  [create, { ...rule, name: '\ud800' }, ['body.name']],
  [create, { ...rule, name: 'x'.repeat(101) }, ['body.name']],
  [create, { ...rule, event: '*' }, ['body.event']],
  [create, { ...rule, event: 'files.object' }, ['body.event']],
  [create, { ...rule, event: 'unknown.*' }, ['body.event']],
  [create, { ...rule, event: 7 }, ['body.event']],
  [create, { ...rule, mode: 'both' }, ['body.mode']],
  [create, { ...rule, max_per_minute: 0 }, ['body.max_per_minute']],
  [create, { ...rule, max_per_minute: 6_001 }, ['body.max_per_minute']],
  [create, { ...rule, max_per_minute: 1.5 }, ['body.max_per_minute']],
  [create, { ...rule, state: 'enabled' }, ['body.state']],
  [create, withConditions(...Array.from({ length: 11 }, () => condition)), ['body.conditions']],
  [create, withConditions({ ...condition, path: 'nothing' }), ['body.conditions.0.path']],
  [create, withConditions({ ...condition, path: 'scan_status.deep' }), ['body.conditions.0.path']],
  [create, withConditions({ ...condition, path: '__proto__' }), ['body.conditions.0.path']],
  [create, withConditions({ ...condition, path: 'metadata..x' }), ['body.conditions.0.path']],
  [create, withConditions(condition, { ...condition, path: '' }), ['body.conditions.1.path']],
  [create, withConditions({ ...condition, operator: 'like' }), ['body.conditions.0.operator']],
  [create, withConditions({ ...condition, value: undefined }), ['body.conditions.0.value']],
  [create, withConditions({ ...condition, value: { a: 1 } }), ['body.conditions.0.value']],
  [create, withConditions({ ...condition, value: 'x'.repeat(501) }), ['body.conditions.0.value']],
  [create, withConditions({ ...condition, operator: 'in', value: 'clean' }), ['body.conditions.0.value']],
  [create, withConditions({ ...condition, operator: 'in', value: [] }), ['body.conditions.0.value']],
  [create, withConditions({ ...condition, operator: 'gt', value: true }), ['body.conditions.0.value']],
  [create, withConditions({ ...condition, operator: 'exists', value: 'yes' }), ['body.conditions.0.value']],
  [create, withConditions({ ...condition, more: 1 }), ['body.conditions.0.more']],
  [create, withAction({ type: 'call' }), ['body.action.type']],
  [create, withAction('job'), ['body.action']],
  [create, withAction([job(), flow]), ['body.action']],
  [create, withAction({ ...job(), url: 'http://127.0.0.1/' }), ['body.action.url']],
  [create, withAction({ ...job(), url: 'https://user:pass@example.com/' }), ['body.action.url']],
  [create, withAction({ ...job(), headers: { host: 'x' } }), ['body.action.headers.host']],
  [create, withAction({ ...job(), headers: { 'x-id': '{{event.id}}' } }), ['body.action.headers.x-id']],
  [create, withAction({ ...job(), url: 'https://example.com/{{event.id}}' }), ['body.action.url']],
  [create, withAction({ ...job(), method: 'GET', body: 'x' }), ['body.action.body']],
  [create, withAction({ ...job(), delay: -1 }), ['body.action.delay']],
  [create, withAction({ ...job(), run_at: '2030-01-01T00:00:00Z' }), ['body.action.run_at']],
  [create, withAction({ ...job(), dedupe_window: 60 }), ['body.action.dedupe_window']],
  [create, withAction({ ...job(), body: 'x'.repeat(40_000) }), ['body.action']],
  [create, withAction({ ...job(), body: { a: ['{{event.data.nothing}}'] } }), ['body.action.body.a.0']],
  [create, withAction({ ...job(), body: '{{ event.data.object_id' }), ['body.action.body']],
  [create, withAction({ ...job(), group: '{{rule.name}}' }), ['body.action.group']],
  [create, withAction({ ...flow, workflow: 'unknown' }), ['body.action.workflow']],
  [create, withAction({ ...flow, workflow: 'Not A Key' }), ['body.action.workflow']],
  [create, withAction({ ...flow, user_id: '' }), ['body.action.user_id']],
  [create, withAction({ ...flow, data: { a: 1 } }), ['body.action.data.a']],
  [create, withAction({ ...flow, data: { a: '{{event.x}}' } }), ['body.action.data.a']],
  [create, withAction({ ...flow, url: 'ftp://example.com' }), ['body.action.url']],
  [create, withAction({ ...flow, email: 'nobody' }), ['body.action.email']],
  [create, withAction({ ...mail, to: 'nobody' }), ['body.action.to']],
  [create, withAction({ ...mail, template: 'unknown' }), ['body.action.template']],
  [create, withAction({ ...mail, template: newId() }), ['body.action.template']],
  [create, withAction({ ...mail, from: 'nobody' }), ['body.action.from']],
  [create, withAction({ ...mail, to: '{{event.data.to}}' }), ['body.action.to']],
  [change, { name: null }, ['body.name']],
  [change, { event: 'email.bounced', conditions: [condition] }, ['body.conditions.0.path']],
  [change, { unknown: 1 }, ['body.unknown']],
  [trial, { type: 'nothing' }, ['body.type']],
  [trial, { event_id: newId() }, ['body.event_id']],
  [trial, { event_id: newId(), type: 'email.bounced' }, ['body.event_id']],
  [trial, { data: [] }, ['body.data']],
  ['GET /v1/automation/runs?status=open', undefined, ['query.status']],
  ['GET /v1/automation/runs?rule_id=1', undefined, ['query.rule_id']],
  ['GET /v1/automation/runs?event_type=x', undefined, ['query.event_type']],
  ['GET /v1/automation/rules?state=deleted', undefined, ['query.state']],
  ['GET /v1/automation/rules?event=x', undefined, ['query.event']],
]

t.test('every bad input gets a 400 that names its fields', async (t) => {
  for (const [request, body, fields] of cases) {
    const reply = await one.ask(request, body === undefined ? {} : { body })
    const what = `${request} ${JSON.stringify(body)?.slice(0, 100)} ${reply.text.slice(0, 300)}`
    if (reply.status !== 400) t.fail(`${reply.status} ${what}`)
    else t.same(fieldsOf(reply), fields, what)
  }
})
