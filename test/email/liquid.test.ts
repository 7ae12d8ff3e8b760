import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import * as brands from '#sql/notify/brands.ts'
import { fieldsOf } from '../support/ingress.ts'
import { type Sender, sending } from './sending.ts'

const { db, sender } = await sending(t)
const one = await sender()

const receipt = {
  name: 'Receipt',
  alias: 'receipt',
  syntax: 'liquid',
  subject: 'Receipt {{ order.number }}{% if order.paid %} (paid){% endif %}',
  html: '<ul>{% for item in order.items %}<li title="{{ item.name }}">{{ item.name }}: {{ item.price | times: item.count | round: 2 }}</li>{% else %}nothing{% endfor %}</ul>',
  text: '{% for item in order.items %}{{ item.count }} x {{ item.name }}\n{% endfor %}For {{ contact.email }}',
}
const order = {
  number: 1042,
  paid: true,
  items: [
    { name: 'Tea & <Co>', count: 2, price: 1.25 },
    { name: 'Cup', count: 1, price: 8 },
  ],
}
const make = async (own: Sender, body: object) => {
  const { status, body: made } = await own.ask('POST /send/v1/templates', { body })
  t.equal(status, 201, JSON.stringify(made))
  return made
}
const use = (own: Sender, template: string, variables?: unknown, more = {}) =>
  own.send({ subject: undefined, text: undefined, template, ...(variables ? { variables } : {}), ...more })
const said = (id: string) =>
  db.one(sql.type(z.object({ subject: z.string(), html: z.string().nullable(), text: z.string().nullable() }))`
    select m.subject, c.html, c.text from email.messages as m join email.contents as c on c.id = m.content_id
    where m.id = ${id}`)
const issuesOf = (reply: { body: { error?: { details?: { field: string; issue: string }[] } } }) =>
  Object.fromEntries((reply.body.error?.details ?? []).map(({ field, issue }) => [field, issue]))

t.test('a Liquid template loops, decides and filters, and is sent by its alias', async (t) => {
  const made = await make(one, receipt)
  t.match(made, { syntax: 'liquid', alias: 'receipt', kind: 'email', mjml: null, uses: [] })
  t.same(made.variables, ['order.number', 'order.paid', 'order.items', 'contact.email'])
  const { status, body } = await use(one, 'receipt', { order })
  t.equal(status, 202, JSON.stringify(body))
  t.same(await said(body.id), {
    subject: 'Receipt 1042 (paid)',
    html: '<ul><li title="Tea &#38; &#60;Co&#62;">Tea &#38; &#60;Co&#62;: 2.5</li><li title="Cup">Cup: 8</li></ul>',
    text: '2 x Tea & <Co>\n1 x Cup\nFor ann@rcpt.example',
  })
  const byId = await one.send({ subject: undefined, text: undefined, template_id: made.id, variables: { order } })
  t.equal(byId.status, 202)
})

t.test('every missing variable is named, but not in a test or with a default', async (t) => {
  await make(one, {
    ...receipt,
    alias: 'missing',
    html: '{{ order.items[0].nmae }} {{ a.b }} {% if c.d %}x{% endif %}{{ e | default: "none" }}{% for x in list %}{% endfor %}',
  })
  const refused = await use(one, 'missing', { order: { items: order.items, number: 1 } })
  t.equal(refused.status, 400)
  t.same(fieldsOf(refused), ['body.variables.a.b', 'body.variables.list', 'body.variables.order.items[0].nmae'])
  t.same(fieldsOf(await use(one, 'nothing-of-this-name', {})), ['body.template'])
})

t.test('a missing variable of a loop is named by its place in the data', async (t) => {
  const fieldsIn = async (html: string, variables: object) => {
    const alias = `loop-${html.length}-${Math.random().toString(36).slice(2, 8)}`
    await make(one, { ...receipt, alias, subject: 'S', text: undefined, html })
    return fieldsOf(await use(one, alias, variables))
  }
  const items = [
    { name: 'a', sub: [{ x: 1 }] },
    { name: 'b', count: 1, sub: [{ x: 1 }, {}] },
  ]
  const given = { order: { items } }
  const loop = (body: string, more = '') => `{% for item in order.items${more} %}${body}{% endfor %}`
  t.same(await fieldsIn(loop('{{ item.name }} {{ item.count }}'), given), ['body.variables.order.items[0].count'])
  const nested = loop('{% for s in item.sub %}{{ s.x }}{% endfor %}')
  t.same(await fieldsIn(nested, given), ['body.variables.order.items[1].sub[1].x'])
  const reversed = loop('{{ item.count }}', ' reversed')
  t.same(await fieldsIn(reversed, given), ['body.variables.item.count (in the loop over order.items)'])
  const sorted = '{% assign all = order.items | sort: "name" %}{% for item in all %}{{ item.count }}{% endfor %}'
  t.same(await fieldsIn(sorted, given), ['body.variables.item.count (in the loop over all)'])
  t.same(await fieldsIn(loop('{{ items.count }}{{ other }}'), given), [
    'body.variables.items.count',
    'body.variables.other',
  ])
  t.same(await fieldsIn(`${loop('{{ item.count }}')}{{ item.name }}`, given), [
    'body.variables.item.name',
    'body.variables.order.items[0].count',
  ])
})

t.test('subjects cannot start another header', async (t) => {
  await make(one, { ...receipt, alias: 'injection', subject: 'Hi {{ name }} {{ name | append: "x" }}', html: 'x' })
  const { body } = await use(one, 'injection', { name: 'Ann\r\nBcc: eve@evil.example', order })
  t.equal((await said(body.id)).subject, 'Hi Ann Bcc: eve@evil.example Ann Bcc: eve@evil.examplex')
})

t.test('partials and layouts are templates that templates name', async (t) => {
  const own = await sender()
  const part = { syntax: 'liquid', text: undefined }
  await make(own, {
    ...part,
    name: 'Footer',
    kind: 'partial',
    alias: 'footer',
    html: '<p>{{ company }} {{ contact.email }}</p>',
    text: '-- {{ company }}',
  })
  await make(own, {
    ...part,
    name: 'Base',
    kind: 'layout',
    alias: 'base',
    html: '<body>{% block main %}{% endblock %}{% render "footer", company: company %}</body>',
    text: '{% block main %}{% endblock %}\n{% render "footer", company: company %}',
  })
  const page = {
    name: 'Page',
    syntax: 'liquid',
    alias: 'page',
    subject: 'Hi',
    html: '{% layout "base" %}{% block main %}<h1>{{ title }}</h1>{% endblock %}',
    text: '{% layout "base" %}{% block main %}{{ title }}{% endblock %}',
  }
  t.match(await make(own, page), { uses: ['base'] })
  const { body } = await use(own, 'page', { title: 'T & T', company: 'Acme <Ltd>' })
  t.match(await said(body.id), {
    html: '<body><h1>T &#38; T</h1><p>Acme &#60;Ltd&#62; ann@rcpt.example</p></body>',
    text: 'T & T\n-- Acme <Ltd>',
  })
  t.same(fieldsOf(await use(own, 'footer', {})), ['body.template'], 'a partial is not sent')
  const unknown = await own.ask('POST /send/v1/templates', {
    body: { ...page, alias: 'x', html: '{% render "nope" %}' },
  })
  t.same(fieldsOf(unknown), ['body.html'])
  const footer = (await own.ask('GET /send/v1/templates')).body.data.find(
    ({ alias }: { alias: string }) => alias === 'footer',
  )
  const gone = await own.ask(`DELETE /send/v1/templates/${footer.id}`)
  t.match([gone.status, gone.body.error.code, gone.body.error.details], [409, 'template_in_use', { used_by: ['Base'] }])
  const renamed = await own.ask(`PATCH /send/v1/templates/${footer.id}`, { body: { alias: 'foot' } })
  t.match([renamed.status, renamed.body.error.code], [409, 'template_in_use'])
  const cyclic = await own.ask(`PATCH /send/v1/templates/${footer.id}`, { body: { html: '{% layout "base" %}' } })
  t.match(issuesOf(cyclic), { 'body.html': /must not use itself/ })
})

t.test('a part that only a draft, a campaign or a brand uses is not deleted', async (t) => {
  const own = await sender()
  for (const kind of ['partial', 'layout'])
    await make(own, {
      name: kind,
      syntax: 'liquid',
      kind,
      alias: `own-${kind}`,
      html: '{% block content %}{% endblock %}',
    })
  const all = (await own.ask('GET /send/v1/templates')).body.data
  const idOf = (alias: string) => all.find((one: { alias: string }) => one.alias === alias).id
  const remove = async (alias: string) => {
    const { status, body } = await own.ask(`DELETE /send/v1/templates/${idOf(alias)}`)
    return status === 409 ? [body.error.code, body.error.details.used_by, body.error.message] : status
  }
  const shown = await make(own, { name: 'Shown', syntax: 'liquid', subject: 'S', html: 'x' })
  const used = { html: '{% render "own-partial" %}' }
  t.equal((await own.ask(`PATCH /send/v1/templates/${shown.id}/draft`, { body: used })).status, 200)
  t.match(await remove('own-partial'), ['template_in_use', ['Shown'], /draft of the template Shown/])
  await own.ask(`DELETE /send/v1/templates/${shown.id}/draft`)
  const campaign = { name: 'May', subject: 'S', syntax: 'liquid', from_email: `a@${own.domain}`, ...used }
  const made = await own.ask('POST /send/v1/campaigns', { body: campaign })
  t.equal(made.status, 201, made.text)
  t.match(await remove('own-partial'), ['template_in_use', ['May'], /campaign May/])
  await own.ask(`POST /send/v1/campaigns/${made.body.id}/cancel`)
  t.equal(await remove('own-partial'), 200)
  for (const layout of ['own-layout', idOf('own-layout')]) {
    await brands.put(db, {
      ...{ org_id: own.orgId, product_key: 'shop', name: 'Shop', layout_id: layout },
      ...{ logo_url: null, color: null, footer: null },
    })
    t.match(await remove('own-layout'), ['template_in_use', ['Shop'], /brand Shop/])
  }
  const path = `PATCH /send/v1/templates/${idOf('own-layout')}`
  t.equal((await own.ask(path, { body: { alias: 'other' } })).status, 200, 'the brand names it by its ID')
  await brands.remove(db, { org_id: own.orgId, product_key: 'shop' })
  t.equal(await remove('own-layout'), 200)
})

t.test('a draft is used after it is published, and a version brings back what was', async (t) => {
  const own = await sender()
  const { id } = await make(own, {
    name: 'N',
    alias: 'n',
    syntax: 'liquid',
    subject: 'One',
    html: '<p>one {{ a }}</p>',
  })
  const path = `/send/v1/templates/${id}`
  t.equal((await own.ask(`GET ${path}/draft`)).status, 404)
  t.equal((await own.ask(`POST ${path}/publish`)).status, 404)
  const drafted = await own.ask(`PATCH ${path}/draft`, { body: { html: '<p>two {{ b }}</p>' } })
  t.match([drafted.status, drafted.body], [200, { template_id: id, subject: 'One', variables: ['b'] }])
  const again = await own.ask(`PATCH ${path}/draft`, { body: { subject: 'Two' } })
  t.match(again.body, { subject: 'Two', html: '<p>two {{ b }}</p>' })
  t.match(await said((await use(own, 'n', { a: 1 })).body.id), { subject: 'One', html: '<p>one 1</p>' })
  t.match((await own.ask(`POST ${path}/preview`, { body: { draft: true, variables: { b: 2 } } })).body, {
    subject: 'Two',
    html: '<p>two 2</p>',
  })
  t.match((await own.ask(`POST ${path}/publish`)).body, { id, subject: 'Two', variables: ['b'] })
  t.equal((await own.ask(`GET ${path}/draft`)).status, 404)
  t.match(await said((await use(own, 'n', { b: 2 })).body.id), { subject: 'Two', html: '<p>two 2</p>' })
  t.match((await own.ask(`POST ${path}/versions/1/restore`)).body, { subject: 'One', variables: ['a'] })
  t.match(await said((await use(own, 'n', { a: 3 })).body.id), { subject: 'One', html: '<p>one 3</p>' })
  t.match(
    (await own.ask(`GET ${path}/versions`)).body.data.map(({ number }: { number: number }) => number),
    [3, 2, 1],
  )
})

t.test('test data fills in previews', async (t) => {
  const own = await sender()
  const { id, test_data } = await make(own, { ...receipt, test_data: { order } })
  t.same(test_data, { order })
  t.match((await own.ask(`POST /send/v1/templates/${id}/preview`)).body, { subject: 'Receipt 1042 (paid)' })
  t.match((await own.ask(`PATCH /send/v1/templates/${id}`, { body: { test_data: null } })).body, { test_data: null })
  t.ok(fieldsOf(await own.ask(`POST /send/v1/templates/${id}/preview`)).includes('body.variables.order.items'))
})

t.test('MJML is converted to HTML when it is saved', async (t) => {
  const own = await sender()
  const mjml = `<mjml><mj-body><mj-section><mj-column><mj-text>Hello {{ name | default: "you" }}</mj-text>
<mj-table>{% for i in items %}<tr><td>{{ i }}</td></tr>{% endfor %}</mj-table></mj-column></mj-section></mj-body></mjml>`
  const made = await make(own, { name: 'M', alias: 'm', syntax: 'liquid', subject: 'S', mjml })
  t.match(made, { mjml, html: /<!doctype html>/i })
  const { body } = await use(own, 'm', { items: ['a', '<b>'] })
  t.match((await said(body.id)).html, /Hello you[\s\S]*<td>&#60;b&#62;<\/td>/)
  const bad = async (source: string) =>
    issuesOf(
      await own.ask('POST /send/v1/templates', { body: { name: 'M', syntax: 'liquid', subject: 'S', mjml: source } }),
    )
  const wrap = (inner: string) => `<mjml><mj-body>${inner}</mj-body></mjml>`
  t.match(await bad(wrap('<mj-include path="/etc/passwd" />')), { 'body.mjml': /mj-include/ })
  t.match(await bad(wrap('{% if a %}<mj-section></mj-section>{% endif %}')), { 'body.mjml': /mj-raw/ })
  t.match(await bad(wrap('<mj-nothing></mj-nothing>')), { 'body.mjml': /mj-nothing/ })
  t.match(await bad('<p>no</p>'), { 'body.mjml': /not valid MJML/ })
  t.match(await bad(`<mjml><mj-body>${'<mj-wrapper>'.repeat(5_000)}`), { 'body.mjml': /./ })
  const html = await own.ask(`PATCH /send/v1/templates/${made.id}`, { body: { html: '<p>{{ x }}</p>' } })
  t.match(html.body, { mjml: null, html: '<p>{{ x }}</p>', variables: ['x'] })
})
