import { simpleParser } from 'mailparser'
import t from 'tap'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import * as campaigns from '#sql/email/campaigns.ts'
import * as templates from '#sql/email/templates.ts'
import { sendCampaign } from '#tasks/email/expand-campaign.ts'
import { fieldsOf } from '../support/ingress.ts'
import { startSink } from '../support/mail-sink.ts'
import { mailStack } from '../support/mail-stack.ts'
import { startNsd } from '../support/nsd.ts'
import { freePort } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { sending } from './sending.ts'

t.setTimeout(240_000)
const port = await freePort()
const [stack, nsd] = await Promise.all([
  mailStack(t),
  startNsd(t, { 'rcpt.example': 'd IN MX 10 mx.d\nmx.d IN A 127.0.0.98' }),
])
const { db, orgId } = stack
const environment = { DNS_RESOLVERS: nsd.dns, MAIL_MX_PORT: String(port), MAIL_MX_ALLOWED: '127.0.0.0/24' }
const html =
  '<body>{% if contact.attributes.vip %}<p>Dear {{ contact.name }}</p>{% else %}<p>Hello {{ contact.name | default: "you" }}</p>{% endif %}' +
  '{% for item in contact.attributes.basket %}<p>{{ item.name }} {{ item.price }}</p>{% endfor %}{{ contact.attributes.nothing }}' +
  '{% render "foot", url: unsubscribe_url %}</body>'
const foot = {
  ...{
    kind: 'partial' as const,
    alias: 'foot',
    name: 'Foot',
    subject: '',
    html: '<p><a href="{{ url }}">Leave</a></p>',
  },
  ...{ text: null, syntax: 'liquid' as const, mjml: null, uses: [], variables: [], test_data: null },
}

async function begin(more: Partial<campaigns.NewCampaign> = {}): Promise<string> {
  const id = newId()
  await db.transaction(async (tx) => {
    const said = {
      name: 'a',
      subject: 'For {{ contact.name | default: "you" }}',
      preheader: 'News & {{ contact.email }}',
      html,
      text: null,
    }
    const from = { from_email: 'news@sender.example', from_name: null, segment_id: null }
    const logic = { syntax: 'liquid' as const, uses: ['foot'] }
    await campaigns.insert(tx, { id, org_id: orgId, key_id: null, sandbox: false, ...said, ...from, ...logic, ...more })
    await sendCampaign(tx, orgId, id)
  })
  return id
}

t.test('each person gets a mail that their attributes decide, with the partial that the campaign had', async (t) => {
  const sink = await startSink(t, '127.0.0.98', port, { hideSTARTTLS: true })
  const { id: partial } = await templates.insert(db, { ...foot, id: newId(), org_id: orgId })
  const basket = JSON.stringify({ vip: true, basket: [{ name: 'Tea <1>', price: 2.5 }] })
  await db.query(sql.typeAlias('void')`
    insert into email.contacts (id, org_id, email, status, name, attributes) values
      (gen_random_uuid(), ${orgId}, 'ann@d.rcpt.example', 'confirmed', 'Ann <A>', ${basket}::jsonb),
      (gen_random_uuid(), ${orgId}, 'bob@d.rcpt.example', 'confirmed', null, '{}')`)
  await begin()
  await templates.update(db, orgId, partial, { html: 'changed later' })
  const worker = await stack.startWorkers(environment, 'mail-campaign')
  const [ann, bob] = [
    await simpleParser((await sink.mailTo('ann@d.rcpt.example')).raw),
    await simpleParser((await sink.mailTo('bob@d.rcpt.example')).raw),
  ]
  t.same([ann.subject, bob.subject], ['For Ann <A>', 'For you'])
  t.match(
    ann.html,
    '<p>Dear Ann &#60;A&#62;</p><p>Tea &#60;1&#62; 2.5</p><p><a href="https://platform.example/send/v1/unsubscribe/',
  )
  t.match(ann.html, />News &amp; ann@d\.rcpt\.example<\/div>/)
  t.match(ann.text, /Dear Ann <A>\s+Tea <1> 2\.5\s+Leave\s+\[https:\/\/platform/)
  t.match(bob.html, /<p>Hello you<\/p><p><a href/)
  t.notMatch(`${ann.html}${bob.html}`, /\{\{|\{%|changed later/)
  await worker.stop()
})

t.test('a campaign that cannot be rendered is paused before its messages fail', async (t) => {
  await stack.startWorkers(environment, 'mail-campaign')
  const burning = '{% for i in (1..40000) %}{% for j in (1..40000) %}{% endfor %}{% endfor %}'
  for (const [more, reason] of [
    [{ html: burning, uses: [] }, /takes (too long|more than)/],
    [{ html: '{% render "gone" %}', uses: ['gone'] }, /"gone"/],
    [{ subject: '{{ contact }}', uses: [] }, /is an object/],
  ] as const) {
    const id = await begin({ ...more, uses: [...more.uses] })
    const paused = await until(async () => {
      const found = await campaigns.find(db, orgId, id)
      return found?.status === 'paused' ? found : false
    })
    t.match([paused.reason, paused.expanded], [reason, 0])
  }
})

t.test('a Liquid campaign is checked, previewed and tested at the API', async (t) => {
  const { sender } = await sending(t)
  const own = await sender()
  const base = {
    name: 'a',
    subject: 'For {{ contact.name | default: "you" }}',
    syntax: 'liquid',
    from_email: `a@${own.domain}`,
  }
  const refused = async (more: object) =>
    fieldsOf(await own.ask('POST /send/v1/campaigns', { body: { ...base, html: 'x', ...more } }))
  t.same(await refused({ html: '{% if x %}' }), ['body.html'])
  t.same(await refused({ html: '{{ order.number }}' }), ['body.html'])
  t.same(await refused({ html: '{% render "none" %}' }), ['body.html'])
  t.same(await refused({ subject: '{{ a | none }}', preheader: '{% x %}' }), ['body.preheader', 'body.subject'])
  t.same(await refused({ syntax: 'x' }), ['body.syntax'])
  t.same(await refused({ syntax: 'placeholders', html: '{% if a %}{{#a}}', subject: '{{name}}' }), [
    'body.html',
    'body.subject',
  ])
  await own.ask('POST /send/v1/contacts', {
    body: { email: 'ann@rcpt.example', name: 'Ann', attributes: { n: [1, 2] } },
  })
  await own.ask('POST /send/v1/templates', {
    body: {
      ...foot,
      subject: undefined,
      variables: undefined,
      uses: undefined,
      mjml: undefined,
      html: '<i>{{ contact.email }}</i>',
    },
  })
  const list = '{% for n in contact.attributes.n %}<b>{{ n }}</b>{% endfor %}{% render "foot" %}'
  const made = await own.ask('POST /send/v1/campaigns', { body: { ...base, html: list } })
  t.match([made.status, made.body], [201, { syntax: 'liquid' }], made.text)
  const path = `/send/v1/campaigns/${made.body.id}`
  const shown = await own.ask(`POST ${path}/preview`, { body: { contact: 'ann@rcpt.example' } })
  t.match(shown.body, { subject: 'For Ann', html: '<b>1</b><b>2</b><i>ann@rcpt.example</i>' })
  t.match((await own.ask(`POST ${path}/preview`)).body, { subject: 'For you', html: '<i>ann@example.net</i>' })
  const tried = await own.ask(`POST ${path}/test`, { body: { to: ['me@rcpt.example'], contact: 'ann@rcpt.example' } })
  t.equal(tried.status, 202, tried.text)
  t.same(fieldsOf(await own.ask(`PATCH ${path}`, { body: { syntax: 'placeholders' } })), ['body.html', 'body.subject'])
  t.match((await own.ask(`PATCH ${path}`, { body: { html: '{{ contact.name }}' } })).body, {
    html: '{{ contact.name }}',
  })
})
