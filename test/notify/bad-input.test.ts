import t from 'tap'
import { fieldsOf } from '../support/ingress.ts'
import { notifying, person } from './people.ts'

const { teller } = await notifying(t)
const one = await teller()

const flow = { name: 'F', product_key: 'shop', type: 'order.shipped' }
const inApp = { type: 'channel', channel: 'in_app' }
const steps = (...all: unknown[]) => ({ ...flow, steps: all })
const when = (condition: unknown) => steps({ ...inApp, conditions: [condition] })
const text = { type: 'order.shipped', locale: 'en', title: 'Hi' }
const at = (n: number, ...fields: string[]) => fields.map((field) => `body.steps.${n}.${field}`)

/** Requests that are refused, and the fields that the answer names. */
const bad: readonly [string, unknown, string[]][] = [
  ['PUT /v1/notify/people/a', { name: ' x' }, ['body.name']],
  ['PUT /v1/notify/people/a', { email: 'x@' }, ['body.email']],
  ['PUT /v1/notify/people/a', { phone: '0123' }, ['body.phone']],
  ['PUT /v1/notify/people/a', { phone: '+1234567' }, ['body.phone']],
  ['PUT /v1/notify/people/a', { push: {} }, ['body.push.app_id']],
  ['PUT /v1/notify/people/a', { push: { app_id: person() } }, ['body.push.app_id']],
  ['PUT /v1/notify/people/a', { push: { app_id: person(), user_id: '' } }, ['body.push.user_id']],
  ['PUT /v1/notify/people/a', { locale: 'not-a-languagetag' }, ['body.locale']],
  ['PUT /v1/notify/people/a', { time_zone: 'Mars/Base' }, ['body.time_zone']],
  ['PUT /v1/notify/people/a', { time_zone: '+02:00' }, ['body.time_zone']],
  ['PUT /v1/notify/people/a', { data: { a: 1 } }, ['body.data.a']],
  ['PUT /v1/notify/people/a', { data: { a: 'x'.repeat(2_001) } }, ['body.data.a']],
  ['PUT /v1/notify/people/a', { nickname: 'x' }, ['body.nickname']],
  ['PUT /v1/notify/people/a', [], ['body']],
  ['PUT /v1/notify/people/%20a', {}, ['path.user_id']],
  [`PUT /v1/notify/people/${'a'.repeat(256)}`, {}, ['path.user_id']],
  ['POST /v1/notify/people/batch', {}, ['body.people']],
  ['POST /v1/notify/people/batch', { people: [] }, ['body.people']],
  ['POST /v1/notify/people/batch', { people: [{}, 7] }, ['body.people.0.user_id', 'body.people.1']],
  ['PUT /v1/notify/workflows/Key', steps(inApp), ['path.key']],
  ['PUT /v1/notify/workflows/k', {}, ['body.name', 'body.product_key', 'body.steps', 'body.type']],
  ['PUT /v1/notify/workflows/k', { ...steps(inApp), type: '*' }, ['body.type']],
  ['PUT /v1/notify/workflows/k', { ...steps(inApp), fallback_locale: '1' }, ['body.fallback_locale']],
  ['PUT /v1/notify/workflows/k', steps(), ['body.steps']],
  ['PUT /v1/notify/workflows/k', steps({ type: 'wait', minutes: 1 }), ['body.steps']],
  ['PUT /v1/notify/workflows/k', steps(...Array(21).fill(inApp)), ['body.steps']],
  ['PUT /v1/notify/workflows/k', steps({ type: 'dance' }), at(0, 'type')],
  ['PUT /v1/notify/workflows/k', steps({ ...inApp, channel: 'fax' }), at(0, 'channel')],
  ['PUT /v1/notify/workflows/k', steps({ ...inApp, x: 1 }), at(0, 'x')],
  ['PUT /v1/notify/workflows/k', steps({ ...inApp, text: '' }), at(0, 'text')],
  ['PUT /v1/notify/workflows/k', steps({ ...inApp, template: { name: 'a', language: 'en' } }), at(0, 'template')],
  ['PUT /v1/notify/workflows/k', steps(inApp, inApp), at(1, 'channel')],
  ['PUT /v1/notify/workflows/k', steps(inApp, { type: 'wait', minutes: 0 }), at(1, 'minutes')],
  ['PUT /v1/notify/workflows/k', steps(inApp, { type: 'wait', minutes: 43_201 }), at(1, 'minutes')],
  ['PUT /v1/notify/workflows/k', steps(inApp, { type: 'wait', minutes: 1.5 }), at(1, 'minutes')],
  ['PUT /v1/notify/workflows/k', steps({ type: 'wait', minutes: 1, until: 'unread' }, inApp), at(0, 'until')],
  ['PUT /v1/notify/workflows/k', steps(inApp, { type: 'wait', minutes: 1, until: 'rich' }), at(1, 'until')],
  ['PUT /v1/notify/workflows/k', steps(inApp, { type: 'digest', minutes: 1 }), at(1, 'type')],
  ['PUT /v1/notify/workflows/k', steps({ type: 'digest', minutes: 1, key: 'title' }, inApp), at(0, 'key')],
  ['PUT /v1/notify/workflows/k', when({ field: 'secret', operator: 'empty' }), at(0, 'conditions.0.field')],
  ['PUT /v1/notify/workflows/k', when({ field: 'data.', operator: 'empty' }), at(0, 'conditions.0.field')],
  ['PUT /v1/notify/workflows/k', when({ field: 'data.a', operator: 'like' }), at(0, 'conditions.0.operator')],
  ['PUT /v1/notify/workflows/k', when({ field: 'data.a', operator: 'equal_to' }), at(0, 'conditions.0.value')],
  ['PUT /v1/notify/workflows/k', when({ field: 'data.a', operator: 'empty', value: '' }), at(0, 'conditions.0.value')],
  ['PUT /v1/notify/workflows/k', when('data.a'), at(0, 'conditions.0')],
  [
    'PUT /v1/notify/workflows/k',
    steps({
      type: 'channel',
      channel: 'whatsapp',
      template: { name: 'A b', language: 'english', variables: ['{{nothing}}', '{{title}}', '{{'] },
    }),
    at(0, 'template.language', 'template.name', 'template.variables.0', 'template.variables.2'),
  ],
  ['PUT /v1/notify/texts', {}, ['body.locale', 'body.title', 'body.type']],
  ['PUT /v1/notify/texts', { ...text, title: 'two\nlines' }, ['body.title']],
  ['PUT /v1/notify/texts', { ...text, title: '{{name}}' }, ['body.title']],
  ['PUT /v1/notify/texts', { ...text, title: '{{{title}}}' }, ['body.title']],
  ['PUT /v1/notify/texts', { ...text, body: '{{#if title}}' }, ['body.body']],
  ['PUT /v1/notify/texts', { ...text, body: 'x'.repeat(10_001) }, ['body.body']],
  ['PUT /v1/notify/texts', { ...text, locale: '*' }, ['body.locale']],
  ['GET /v1/notify/texts?type=', undefined, ['query.type']],
  ['DELETE /v1/notify/texts', undefined, ['query.locale', 'query.type']],
  [
    'GET /v1/notify/runs?state=lost&workflow=A&user_id=%20',
    undefined,
    ['query.state', 'query.user_id', 'query.workflow'],
  ],
  ['GET /v1/notify/people?email=x&limit=0', undefined, ['query.email', 'query.limit']],
  ['GET /v1/notify/runs?cursor=7', undefined, ['query.cursor']],
  ['GET /v1/notify/inbox?user_id=a&unseen=1&archived=x', undefined, ['query.archived', 'query.unseen']],
  ['POST /v1/notify/stream-tokens', { user_id: '', marks: 'yes' }, ['body.marks', 'body.user_id']],
]

t.test('what is refused names its fields, and nothing is a fault of ours', async (t) => {
  t.ok(bad.length >= 40, `${bad.length} requests`)
  for (const [request, body, fields] of bad) {
    const reply = await one.ask(request, body === undefined ? {} : { body })
    t.equal(reply.status, 400, `${request} ${JSON.stringify(body)?.slice(0, 120)}: ${reply.text.slice(0, 200)}`)
    t.same(fieldsOf(reply), fields, `${request} ${JSON.stringify(body)?.slice(0, 120)}`)
  }
})

t.test('what is not there is a 404', async (t) => {
  for (const request of [
    'GET /v1/notify/people/nobody',
    'GET /v1/notify/workflows/none',
    'POST /v1/notify/workflows/none/publish',
    'POST /v1/notify/workflows/none/unpublish',
    'DELETE /v1/notify/workflows/none',
    `GET /v1/notify/runs/${person()}`,
    `POST /v1/notify/runs/${person()}/cancel`,
    'GET /v1/notify/runs/x',
    'DELETE /v1/notify/texts?type=a&locale=en',
  ])
    t.equal((await one.ask(request)).status, 404, request)
})

t.test('an empty name is reported as empty', async (t) => {
  const { body } = await one.ask('PUT /v1/notify/brands', { body: { product_key: '', name: 'Shop' } })
  t.match(body.error.details, [{ field: 'body.product_key', issue: 'must not be empty' }])
  t.equal(body.error.details.length, 1)
})
