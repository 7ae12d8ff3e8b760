import t from 'tap'
import { fieldsOf } from '../support/ingress.ts'
import { notifying, person } from './people.ts'

const { teller } = await notifying(t)
const [one, other] = [await teller(), await teller()]
const list = async (userId: string, query = '', who = one) =>
  (await who.ask(`GET /v1/notify/preferences?user_id=${userId}&${query}`)).body.data

t.test('a preference is set, replaced, listed and deleted', async (t) => {
  const user = person()
  const digest = { window_minutes: 30 }
  const set = await one.prefer(user, ['email', 'in_app', 'email'], { digest })
  t.equal(set.status, 200)
  t.match(set.body, {
    user_id: user,
    product_key: 'shop',
    type: 'order.shipped',
    channels: ['in_app', 'email'],
    digest,
  })
  t.match((await one.prefer(user, [])).body, { channels: [], digest: null })
  await one.prefer(user, ['push'], { type: '*', product_key: 'crm' })
  t.match(await list(user), [{ product_key: 'crm', type: '*', channels: ['push'] }, { channels: [] }])
  t.equal((await list(user, 'product_key=shop')).length, 1)
  t.same(await list(user, '', other), [])
  t.same(await list(person()), [])
  const path = `DELETE /v1/notify/preferences?user_id=${user}&product_key=crm&type=*`
  t.equal((await other.ask(path)).status, 404)
  t.match((await one.ask(path)).body, { user_id: user, product_key: 'crm', type: '*', deleted: true })
  t.equal((await one.ask(path)).status, 404)
  t.equal((await list(user)).length, 1)
})

t.test(
  'the type’s preference goes before the product’s, that before the inbox alone; an event’s own before all',
  async (t) => {
    const user = person()
    const chosen = async (facts = {}) => {
      const { body } = await one.tell(user, facts)
      const used = body.channels.filter(({ used }: { used: boolean }) => used)
      return [body.chosen_by, ...used.map(({ channel }: { channel: string }) => channel)]
    }
    const email = 'ann@rcpt.example'
    t.same(await chosen({ email }), ['default', 'in_app'])
    await one.prefer(user, ['email'], { type: '*' })
    t.same(await chosen({ email }), ['product', 'email'])
    await one.prefer(user, ['in_app', 'email'])
    t.same(await chosen({ email }), ['type', 'in_app', 'email'])
    t.same(await chosen({ email, type: 'order.paid' }), ['product', 'email'])
    t.same(await chosen({ email, product_key: 'crm' }), ['default', 'in_app'])
    t.same(await chosen({ email, channels: ['email'] }), ['event', 'email'])
    t.same(await chosen({ email, channels: [] }), ['event'])
    await other.prefer(user, [])
    t.same(await chosen({ email }), ['type', 'in_app', 'email'])
    await one.prefer(user, [])
    t.same(await chosen({ email }), ['type'])
  },
)

t.test('without in_app an event leaves no item, and is still one event for its dedupe key', async (t) => {
  const user = person()
  await one.prefer(user, ['email'])
  const first = await one.tell(user, { dedupe_key: 'k' })
  t.match(first.body.channels, [
    { channel: 'in_app', used: false, reason: 'not_chosen' },
    { channel: 'email', used: false, reason: 'no_address' },
  ])
  t.same(await one.inbox(user), [])
  t.equal(await one.unread(user), 0)
  t.match((await one.tell(user, { dedupe_key: 'k' })).body, { id: first.body.id, deduplicated: true })
  const read = { body: { user_id: user } }
  t.equal((await one.ask(`POST /v1/notify/inbox/${first.body.id}/read`, read)).status, 404)
})

t.test('one preference that is set fifty times at once is one row', async (t) => {
  const user = person()
  const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => one.prefer(user, n % 2 ? ['email'] : [])))
  t.ok(answers.every(({ status }) => status === 200))
  t.equal((await list(user)).length, 1)
})

t.test('a 400 names every field', async (t) => {
  const reply = await one.ask('PUT /v1/notify/preferences', {
    body: {
      user_id: 'ann\n',
      product_key: '',
      type: '',
      channels: ['in_app', 'fax'],
      digest: { window_minutes: 0 },
      x: 1,
    },
  })
  t.equal(reply.status, 400)
  t.same(fieldsOf(reply), [
    ...['body.channels.1', 'body.digest.window_minutes', 'body.product_key', 'body.type', 'body.user_id', 'body.x'],
  ])
  t.match(reply.body.error.message, /body\.channels\.1: .*in_app.*email.*push/)
  t.same(fieldsOf(await one.prefer(person(), ['in_app'], { digest: { window_minutes: 5 } })), ['body.digest'])
  t.same(fieldsOf(await one.ask('PUT /v1/notify/preferences', { body: {} })), [
    ...['body.channels', 'body.product_key', 'body.type', 'body.user_id'],
  ])
  t.same(fieldsOf(await one.ask('GET /v1/notify/preferences')), ['query.user_id'])
  t.same(fieldsOf(await one.ask('DELETE /v1/notify/preferences')), ['query.product_key', 'query.type', 'query.user_id'])
})
