import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import * as templates from '#sql/email/templates.ts'
import { fieldsOf } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { flowing, traceOf } from './flows.ts'
import { person, type Teller } from './people.ts'

t.setTimeout(240_000)
const { db, sender, flow, start, run } = await flowing(t)
const mail = { type: 'channel', channel: 'email' }
const inApp = { type: 'channel', channel: 'in_app' }
const email = { to: 'ann@rcpt.example' }

const content = { text: null, syntax: 'liquid' as const, mjml: null, uses: [], variables: [], test_data: null }
const add = (one: Teller, parts: object) =>
  templates.insert(db, {
    ...content,
    ...{ id: newId(), org_id: one.orgId, kind: 'email', alias: null, name: 'T', subject: 'S', html: 'x' },
    ...parts,
  })
const sent = (one: Teller, count = 1) =>
  until(async () => {
    const found = await db.any(sql.type(
      z.object({
        subject: z.string(),
        html: z.string().nullable(),
        text: z.string().nullable(),
        template_id: z.string().nullable(),
      }),
    )`
      select m.subject, m.template_id, c.html, c.text from email.messages as m join email.contents as c on c.id = m.content_id
      where m.org_id = ${one.orgId} order by m.id`)
    return found.length >= count ? found : false
  })

t.test('an email step sends the template that it names, with the data of the event and the person', async (t) => {
  const [one, user] = [await sender(), person()]
  const made = await add(one, {
    alias: 'shipped',
    subject: '{{ title }}: {{ data.order }}',
    html: '<p>Dear {{ person.name | default: "customer" }}, {{ data.order }} for {{ data.city }} {{ brand.color }}</p>',
    text: '{{ data.order }} to {{ person.data.street }}',
  })
  await one.ask(`PUT /v1/notify/people/${user}`, {
    body: { name: 'Ann <A>', email: email.to, data: { street: 'High' } },
  })
  await flow(one, [{ ...mail, template_id: 'shipped' }])
  await run(one, await start(one, user, { data: { order: '10&42', city: 'Tallinn' } }))
  t.same(await sent(one), [
    {
      subject: 'Your order is on its way: 10&42',
      html: '<p>Dear Ann &#60;A&#62;, 10&#38;42 for Tallinn #1a56db</p>',
      text: '10&42 to High',
      template_id: made.id,
    },
  ])
})

t.test('a text has a template, and a template with placeholders takes only what it names', async (t) => {
  const [one, user] = [await sender(), person()]
  const { id } = await add(one, {
    syntax: 'placeholders',
    subject: 'Order {{data.order}}',
    html: '<p>{{title}} {{person.name|"friend"}}</p>',
  })
  const text = { type: 'order.shipped', locale: 'en', title: 'It is {{data.order}}', template_id: id }
  t.match((await one.ask('PUT /v1/notify/texts', { body: text })).body, { template_id: id })
  await flow(one, [mail])
  await run(one, await start(one, user, { data: { order: '7' }, email }))
  t.match(await sent(one), [{ subject: 'Order 7', html: '<p>It is 7 friend</p>' }])
})

t.test('a deleted or failing template is refused with its reason, and the other channels go on', async (t) => {
  const [one, user] = [await sender(), person()]
  await add(one, { alias: 'gone' })
  await add(one, { alias: 'needs', html: '{{ data.order }} {{ data.other }}' })
  await add(one, { alias: 'burns', html: '{% for i in (1..40000) %}{% for j in (1..40000) %}{% endfor %}{% endfor %}' })
  const steps = ['gone', 'needs', 'burns'].map((template_id) => ({ ...mail, template_id }))
  await flow(one, [...steps, inApp, mail])
  await db.query(sql.typeAlias('void')`delete from email.templates where org_id = ${one.orgId} and alias = 'gone'`)
  const ended = await run(one, await start(one, user, { data: { order: '7' }, email }))
  t.same(traceOf(ended), [
    ...['email refused template_missing', 'email refused template_failed', 'email refused template_failed'],
    ...['in_app done', 'email done'],
  ])
  t.match(ended.steps[1], { detail: /variables\.data\.other is required/ })
  t.equal((await sent(one)).length, 1)
})

t.test('emails without a template have the brand of their product', async (t) => {
  const [one, user] = [await sender(), person()]
  const brand = { product_key: 'shop', name: 'Shop & Co', color: '#ffee00', footer: 'High Street 1\nTallinn' }
  const put = await one.ask('PUT /v1/notify/brands', { body: { ...brand, logo_url: 'https://example.com/l.png' } })
  t.match([put.status, put.body], [200, { ...brand, layout_id: null }])
  t.match((await one.ask('GET /v1/notify/brands?product_key=shop')).body.data, [brand])
  t.same((await one.ask('GET /v1/notify/brands?product_key=other')).body.data, [])
  await one.tell(user, {
    channels: ['email'],
    email,
    body: 'First <b>\nline\n\nSecond',
    url: 'https://example.com/o?a=1&b=2',
  })
  const [plain] = await sent(one)
  t.match(plain, { subject: 'Your order is on its way', text: /First <b>[\s\S]*-- \nHigh Street 1\nTallinn/ })
  for (const piece of [
    ...[
      'src="https://example.com/l.png"',
      'alt="Shop &#38; Co"',
      '<p style="margin:0 0 16px">First &#60;b&#62;<br>line</p>',
    ],
    ...['href="https://example.com/o?a=1&#38;b=2"', 'background:#ffee00;color:#000000', 'High Street 1<br>Tallinn'],
  ])
    t.ok(plain?.html?.includes(piece), `${piece} in ${plain?.html}`)
  await add(one, {
    kind: 'layout',
    alias: 'base',
    html: '<main>{{ brand.name }}{% block content %}{% endblock %}</main>',
  })
  t.match((await one.ask('PUT /v1/notify/brands', { body: { ...brand, layout_id: 'base' } })).body, {
    layout_id: 'base',
  })
  await one.tell(user, { channels: ['email'], email, title: 'Second' })
  t.match((await sent(one, 2))[1]?.html, /^<main>Shop &#38; Co<h1[^>]*>Second<\/h1>\n<\/main>$/)
  await db.query(sql.typeAlias('void')`delete from email.templates where org_id = ${one.orgId}`)
  const { body } = await one.tell(user, { channels: ['email', 'in_app'], email, title: 'Third' })
  const refused = await until(async () => {
    const { copies } = (await one.ask(`GET /v1/notify/events/${body.id}`)).body
    return copies?.[0]?.status === 'refused' ? copies[0] : false
  })
  t.match(refused, { reason: 'template_missing' })
  t.equal((await one.ask('DELETE /v1/notify/brands?product_key=shop')).body.deleted, true)
  t.equal((await one.ask('DELETE /v1/notify/brands?product_key=shop')).status, 404)
})

t.test('templates that do not exist and brands that cannot be shown are refused by field', async (t) => {
  const [one, other] = [await sender(), await sender()]
  const { id } = await add(other, {})
  await add(one, { kind: 'partial', alias: 'part' })
  const texts = async (template_id: unknown) =>
    fieldsOf(await one.ask('PUT /v1/notify/texts', { body: { type: 'a', locale: 'en', title: 't', template_id } }))
  for (const bad of [id, 'part', 'nope', '', 'A b', 7, {}, [], '../x'])
    t.same(await texts(bad), ['body.template_id'], String(bad))
  const step = async (extra: object) =>
    fieldsOf(
      await one.ask('PUT /v1/notify/workflows/w', {
        body: { name: 'w', product_key: 'shop', type: 'a', steps: [{ ...mail, ...extra }] },
      }),
    )
  for (const bad of [id, 'part', 'nope', '', 'A b', 7])
    t.same(await step({ template_id: bad }), ['body.steps.0.template_id'], String(bad))
  t.same(await step({ channel: 'push', template_id: 'x' }), ['body.steps.0.template_id'])
  const brand = async (extra: object) =>
    fieldsOf(await one.ask('PUT /v1/notify/brands', { body: { product_key: 'shop', name: 'N', ...extra } }))
  const bad: [object, string][] = [
    ...[{ color: 'red' }, { color: '#12345' }, { color: '#1234567' }, { color: 5 }].map((one): [object, string] => [
      one,
      'body.color',
    ]),
    ...['http://x.example/l.png', 'javascript:alert(1)', 'x', '', 7].map((logo_url): [object, string] => [
      { logo_url },
      'body.logo_url',
    ]),
    ...['', 'x'.repeat(2_001), 'a\u0007', 7].map((footer): [object, string] => [{ footer }, 'body.footer']),
    ...['part', 'nope', id, ''].map((layout_id): [object, string] => [{ layout_id }, 'body.layout_id']),
    ...['', 'a\nb', 'x'.repeat(201), null].map((name): [object, string] => [{ name }, 'body.name']),
    [{ product_key: null }, 'body.product_key'],
    [{ extra: 1 }, 'body.extra'],
  ]
  for (const [given, field] of bad) t.same(await brand(given), [field], JSON.stringify(given).slice(0, 80))
})
