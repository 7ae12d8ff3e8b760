import t from 'tap'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { followTemplates } from '#tasks/whatsapp/follow-templates.ts'
import { syncTemplates } from '#tasks/whatsapp/sync-templates.ts'
import { emittedTo } from '../support/emitted.ts'
import { fieldsOf } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { graphError } from './cloud-api-server.ts'
import { type OwnNumber, ownNumber } from './own-number.ts'
import { whatsappStack } from './stack.ts'

t.setTimeout(240_000)
const stack = await whatsappStack(t)
const { api, db } = stack
await stack.startWorkers()

const form = (name: string, more: object = {}) => ({
  name,
  language: 'en',
  category: 'UTILITY',
  components: [
    { type: 'BODY', text: 'Your order {{1}} is ready.', example: { body_text: [['1042']] } },
    { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'Thank you' }] },
  ],
  ...more,
})
const create = (own: OwnNumber, body: object) => own.ask('POST /v1/whatsapp/templates', { body })
const changes = (own: OwnNumber) =>
  emittedTo(own.orgId).flatMap(({ type, data }) => (type === 'whatsapp.template.changed' ? [data] : []))
const sendOne = (own: OwnNumber, name: string) =>
  own.ask('POST /v1/whatsapp/send-template', {
    body: {
      to: '+3725551234',
      template: {
        name,
        language: { code: 'en' },
        components: [{ type: 'body', parameters: [{ type: 'text', text: '1042' }] }],
      },
    },
  })
const reviewed = (id: string, event: string, more: object = {}) => ({
  event,
  message_template_id: Number(id),
  message_template_language: 'en',
  ...more,
})
const webhook = (own: OwnNumber, value: object, more: object = {}) =>
  own.webhook(value, { field: 'message_template_status_update', ...more })

t.test('a template is handed in, its review followed by webhook, and it can be sent once it is approved', async (t) => {
  const own = await ownNumber(stack)
  const made = await create(own, form('order_ready'))
  t.match(made, { status: 201, body: { name: 'order_ready', status: 'PENDING', reason: null } }, made.text)
  t.match(made.body.variables, [{ component: 'body', index: 1, example: '1042' }])
  t.match(api.received.at(-1), { method: 'POST', path: `/v23.0/${own.known.accountId}/message_templates` })
  const before = api.sent().length
  const refused = await sendOne(own, 'order_ready')
  t.match(refused, { status: 400, body: { error: { code: 'template_not_approved' } } }, refused.text)
  t.match(refused.body.error.details, [{ field: 'body.template', status: 'PENDING' }])
  t.equal(api.sent().length, before, 'no request was made')
  for (const _ of [1, 2])
    t.equal((await webhook(own, reviewed(made.body.id, 'APPROVED', { reason: 'NONE' }))).status, 200)
  t.match(changes(own), [{ id: made.body.id, status: 'APPROVED', previous_status: 'PENDING', reason: null }])
  t.equal(changes(own).length, 1, 'told once')
  t.equal((await own.ask(`GET /v1/whatsapp/templates/${made.body.id}`)).body.status, 'APPROVED')
  t.equal((await sendOne(own, 'order_ready')).status, 200)
})

t.test('nobody’s webhook tells of another account’s templates', async (t) => {
  const [own, other] = [await ownNumber(stack), await ownNumber(stack)]
  const { body } = await create(own, form('mine'))
  await webhook(other, reviewed(body.id, 'REJECTED'))
  await webhook(other, reviewed(body.id, 'REJECTED'), { entryId: own.known.accountId })
  t.equal((await own.ask(`GET /v1/whatsapp/templates/${body.id}`)).body.status, 'PENDING')
  t.same(changes(own), [])
  t.equal((await other.ask(`GET /v1/whatsapp/templates/${body.id}`)).status, 404)
  t.equal((await other.ask(`DELETE /v1/whatsapp/templates/${body.id}`)).status, 404)
})

t.test('what no webhook tells, the next copy does, and says why', async (t) => {
  const own = await ownNumber(stack)
  const { body } = await create(own, form('order_late'))
  api.templates = api.templates.map((one) =>
    one instanceof Object && 'id' in one && one.id === body.id
      ? { ...one, status: 'REJECTED', rejected_reason: 'TAG_CONTENT_MISMATCH' }
      : one,
  )
  for (const _ of [1, 2]) {
    await db.transaction((tx) => enqueue(tx, syncTemplates, { numberId: own.id }))
  }
  await until(() => changes(own).length > 0, { timeout: 10_000 })
  t.match(changes(own), [{ status: 'REJECTED', previous_status: 'PENDING', reason: 'TAG_CONTENT_MISMATCH' }])
  t.match((await own.ask(`GET /v1/whatsapp/templates/${body.id}`)).body, { reason: 'TAG_CONTENT_MISMATCH' })
  const asked = () =>
    api.received.filter(
      ({ path, method }) => method === 'GET' && path.startsWith(`/v23.0/${own.known.accountId}/message_t`),
    )
  await until(() => asked().length >= 2, { timeout: 10_000 })
  t.equal(changes(own).length, 1, 'told once')
  t.equal(followTemplates.cron, '*/10 * * * *')
})

t.test('a name is taken once, and what Meta refuses is told without its words', async (t) => {
  const own = await ownNumber(stack)
  t.equal((await create(own, form('once'))).status, 201)
  t.match(await create(own, form('once')), { status: 409, body: { error: { code: 'template_exists' } } })
  api.things.nextTemplate = [
    (_, response) =>
      void response
        .writeHead(400)
        .end(JSON.stringify({ error: { code: 100, error_subcode: 2388024, message: 'secret words' } })),
    graphError(100, 400),
    graphError(190, 401),
    graphError(80007, 400),
  ]
  t.match(await create(own, form('elsewhere')), { status: 409, body: { error: { code: 'template_exists' } } })
  t.same(fieldsOf(await create(own, form('form'))), ['body.components'])
  t.match(await create(own, form('token')), { status: 400, body: { error: { code: 'number_refused' } } })
  t.match(await create(own, form('fast')), { status: 429 })
})

t.test('a template is deleted at Meta and here; without a number of one’s own there is none', async (t) => {
  const own = await ownNumber(stack)
  const { body } = await create(own, form('short_lived'))
  t.match(await own.ask(`DELETE /v1/whatsapp/templates/${body.id}`), { status: 200, body: { deleted: true } })
  t.match(api.received.at(-1), { method: 'DELETE' })
  t.equal(api.received.at(-1)?.query.get('hsm_id'), body.id)
  t.equal((await own.ask(`GET /v1/whatsapp/templates/${body.id}`)).status, 404)
  t.match(await stack.ask('POST /v1/whatsapp/templates', { body: form('platform') }), {
    status: 409,
    body: { error: { code: 'no_number' } },
  })
})
