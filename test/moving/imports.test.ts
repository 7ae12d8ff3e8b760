import '../support/moving-environment.ts'
import t from 'tap'
import { newId } from '#lib/ids.ts'
import * as imports from '#sql/moving/imports.ts'
import { heldUp } from '../support/held-up.ts'
import { fieldsOf } from '../support/ingress.ts'
import { keys } from './providers.ts'
import { movingStack } from './stack.ts'

const { customer, source, db } = await movingStack(t)
const { answers, seen } = source

const resendTemplate = (id: string, html: string, more: object = {}) => ({
  ...{ object: 'template', id, alias: `alias-${id}`, name: `Template ${id}`, status: 'published' },
  ...{
    subject: 'Hello {{{NAME}}}',
    html,
    text: null,
    variables: [{ key: 'NAME', type: 'string', fallback_value: 'there' }],
  },
  ...more,
})

function offer(path: string, template: { id: string }) {
  answers.set(`${path}/${template.id}`, () => ({ body: template }))
}

t.test('Resend: templates and contacts are checked first, then created', async (t) => {
  const one = await customer()
  const templates = [
    resendTemplate('t1', '<p>Hello {{{NAME}}}, see <a href="{{{RESEND_UNSUBSCRIBE_URL}}}">here</a>.</p>'),
    resendTemplate('t2', '<p>One</p>\n<p>{{#formatMoney price}}</p>'),
  ]
  source.resendList('/templates', templates)
  for (const template of templates) offer('/templates', template)
  const contacts = Array.from({ length: 150 }, (_, n) => ({
    ...{ id: `c${n}`, email: `p${n}@people.example`, first_name: 'Ann', last_name: `Lee ${n}` },
    ...{ created_at: '2024-01-01T00:00:00Z', unsubscribed: n === 3 },
  }))
  source.resendList('/contacts', [...contacts, { ...contacts[0], id: 'bad', email: 'no address' } as never])
  const { status, body } = await one.start({ provider: 'resend', api_key: keys.resend })
  t.match([status, body], [202, { status: 'queued', parts: ['templates', 'contacts'], dry_run: true }])
  t.notMatch(JSON.stringify(body), keys.resend)
  const ready = await one.reaches(body.id, 'ready')
  t.match(ready, { found: 153, imported: 0, invalid: 2 })
  t.same((await one.ask('GET /send/v1/templates')).body.data, [], 'a check creates nothing')
  t.same((await one.ask('GET /send/v1/contacts')).body.data, [])
  const [bad] = await one.rows(body.id, '&outcome=invalid&part=templates')
  t.match(bad, { external_id: 't2', issues: [{ field: 'html', line: 2, text: '{{#formatMoney price}}' }] })

  t.equal((await one.ask(`POST /v1/moving/imports/${body.id}/apply`)).status, 202)
  t.match(await one.reaches(body.id, 'finished'), {
    found: 153,
    imported: 151,
    existing: 0,
    invalid: 2,
    dry_run: false,
  })
  const [made] = (await one.ask('GET /send/v1/templates')).body.data
  t.match(made, { alias: 'alias-t1', syntax: 'liquid', variables: [], subject: 'Hello {{ NAME | default: "there" }}' })
  const shown = await one.ask(`POST /send/v1/templates/${made.id}/preview`, { body: { variables: { NAME: 'Bob' } } })
  t.match(shown.body, { subject: 'Hello Bob', html: /<p>Hello Bob, see <a href="http/ })
  const contact = async (n: number) => (await one.ask(`GET /send/v1/contacts/p${n}@people.example`)).body
  t.match(await contact(1), { status: 'unconfirmed', name: 'Ann Lee 1', attributes: { first_name: 'Ann' } })
  t.match(await contact(3), { status: 'unsubscribed' }, 'people who unsubscribed stay unsubscribed')

  const again = await one.start({ provider: 'resend', api_key: keys.resend, dry_run: false })
  t.match(await one.reaches(again.body.id, 'finished'), { imported: 0, existing: 151 }, 'nothing is created twice')
  t.match(await one.reaches(body.id, 'finished'), { imported: 151 })
})

t.test('Postmark: layouts, templates and suppressions keep their meaning', async (t) => {
  const one = await customer()
  const detail = (TemplateId: number, more: object) => ({ TemplateId, Active: true, AssociatedServerId: 1, ...more })
  const all = [
    detail(1, {
      Name: 'Base',
      Alias: 'base',
      TemplateType: 'Layout',
      Subject: null,
      HtmlBody: '<body>{{{ @content }}}</body>',
      TextBody: '{{{ @content }}}',
    }),
    detail(2, {
      ...{
        Name: 'Receipt',
        Alias: null,
        TemplateType: 'Standard',
        LayoutTemplate: 'base',
        Subject: 'Receipt {{number}}',
      },
      ...{
        HtmlBody:
          '{{#each items}}<p>{{name}}{{^free}} {{price}}{{/free}} of {{../shop}}</p>{{/each}}{{#note}}<i>{{text}}</i>{{/note}}',
        TextBody: '{{number}}',
      },
    }),
  ]
  answers.set('/templates', ({ searchParams }) => {
    const found = all.filter(
      (one) => (one as { TemplateType?: string }).TemplateType === searchParams.get('templateType'),
    )
    const from = Number(searchParams.get('offset'))
    return {
      body: { TotalCount: found.length, Templates: found.slice(from, from + Number(searchParams.get('count'))) },
    }
  })
  for (const one of all) answers.set(`/templates/${one.TemplateId}`, () => ({ body: one }))
  answers.set('/message-streams', () => ({
    body: { MessageStreams: [{ ID: 'outbound' }, { ID: 'news' }], TotalCount: 2 },
  }))
  const dump =
    (...rows: [string, string][]) =>
    () => ({
      body: {
        Suppressions: rows.map(([EmailAddress, SuppressionReason]) => ({
          EmailAddress,
          SuppressionReason,
          Origin: 'Recipient',
          CreatedAt: '2019-12-10T08:58:33-05:00',
        })),
      },
    })
  answers.set(
    '/message-streams/outbound/suppressions/dump',
    dump(['gone@a.example', 'HardBounce'], ['x@a.example', 'SpamComplaint']),
  )
  answers.set(
    '/message-streams/news/suppressions/dump',
    dump(['gone@a.example', 'HardBounce'], ['m@a.example', 'ManualSuppression']),
  )
  const { body } = await one.start({ provider: 'postmark', api_key: keys.postmark, dry_run: false })
  t.match(
    await one.reaches(body.id, 'finished'),
    { found: 5, imported: 5, invalid: 0 },
    JSON.stringify(await one.rows(body.id)),
  )
  const list = (await one.ask('GET /send/v1/templates')).body.data
  const receipt = list.find(({ name }: { name: string }) => name === 'Receipt')
  t.match(receipt, { alias: 'postmark-2', uses: ['base'] })
  const variables = {
    number: 7,
    shop: 'Shop',
    items: [
      { name: 'Tea & cups', price: 3 },
      { name: 'Tray', free: true },
    ],
    note: { text: 'Hi' },
  }
  const { body: shown } = await one.ask(`POST /send/v1/templates/${receipt.id}/preview`, { body: { variables } })
  t.match(shown, {
    subject: 'Receipt 7',
    html: '<body><p>Tea &#38; cups 3 of Shop</p><p>Tray of Shop</p><i>Hi</i></body>',
    text: '7',
  })
  const { data } = (await one.ask('GET /send/v1/suppressions')).body
  t.same(data.map(({ email, reason }: Record<string, string>) => `${email} ${reason}`).sort(), [
    'gone@a.example bounce',
    'm@a.example manual',
    'x@a.example complaint',
  ])
  t.match(data[0].created_at, /^2019-12-10T13:58:33/)
})

t.test('SendGrid: Handlebars, and every kind of suppression', async (t) => {
  const one = await customer()
  const html =
    '{{#if paid}}{{#greaterThan total 10}}big{{else}}small{{/greaterThan}}{{else if sent}}sent{{else}}open{{/if}} {{insert who "default=friend"}} {{formatDate at "DD.MM.YYYY"}} {{{raw}}} <a href="{{{unsubscribe}}}">u</a> {% literal %}'
  const version = { active: 1, subject: '{{subject}}', html_content: html, plain_content: '', editor: 'code' }
  answers.set('/v3/templates', ({ searchParams }) =>
    searchParams.get('page_token')
      ? { body: { result: [{ id: 'd-2' }], _metadata: { count: 2 } } }
      : {
          body: {
            result: [{ id: 'd-1' }],
            _metadata: { next: 'https://api.sendgrid.com/v3/templates?page_token=abc&page_size=100', count: 2 },
          },
        },
  )
  answers.set('/v3/templates/d-1', () => ({
    body: { id: 'd-1', name: 'Welcome', generation: 'dynamic', versions: [version] },
  }))
  answers.set('/v3/templates/d-2', () => ({
    body: { id: 'd-2', name: 'Old', generation: 'legacy', versions: [{ ...version, html_content: '<%body%>' }] },
  }))
  source.sendgridList(
    '/v3/suppression/bounces',
    Array.from({ length: 600 }, (_, n) => ({
      created: 1_600_000_000,
      email: `b${n}@a.example`,
      reason: '550 5.1.1\r\nno such user',
      status: '5.1.1',
    })),
  )
  source.sendgridList('/v3/suppression/invalid_emails', [
    { created: 1_600_000_000, email: 'invalid@@a', reason: 'bad' },
  ])
  source.sendgridList('/v3/suppression/spam_reports', [
    { created: 1_600_000_000, email: 'spam@a.example', ip: '10.0.0.1' },
  ])
  source.sendgridList('/v3/suppression/unsubscribes', [{ created: 1_600_000_000, email: 'un@a.example' }])
  source.sendgridList('/v3/asm/suppressions', [
    { email: 'group@a.example', group_id: 1, group_name: 'News', created_at: 1_600_000_000 },
  ])
  const { body } = await one.start({ provider: 'sendgrid', api_key: keys.sendgrid, dry_run: false })
  t.match(await one.reaches(body.id, 'finished'), { found: 606, imported: 604, invalid: 2 })
  t.match(await one.rows(body.id, '&outcome=invalid'), [
    { label: 'Old', issues: [{ text: '<%body%>' }] },
    { reason: /address/ },
  ])
  const [made] = (await one.ask('GET /send/v1/templates')).body.data
  const variables = { subject: 'S', paid: true, total: 12, at: '2026-02-03T00:00:00Z', raw: '<b>x</b>' }
  const preview = async (given: object) =>
    (await one.ask(`POST /send/v1/templates/${made.id}/preview`, { body: { variables: given } })).body
  t.match(await preview(variables), {
    html: /^big friend 03\.02\.2026 <b>x<\/b> <a href="http[^"]+">u<\/a> \{% literal %\}$/,
  })
  t.match(await preview({}), { error: { code: /./ } }, 'a message needs a subject')
  t.match(await preview({ subject: 'S' }), { html: /^open friend/ }, 'a missing value is empty, as at the provider')
  const found = async (email: string) => (await one.ask(`GET /send/v1/suppressions?email=${email}`)).body.data
  t.match(await found('b599@a.example'), [{ reason: 'bounce', detail: 'SendGrid bounce: 550 5.1.1 no such user' }])
  t.match(await found('spam@a.example'), [{ reason: 'complaint' }])
  t.match(await found('un@a.example'), [{ reason: 'manual' }])
  t.match((await one.ask('GET /send/v1/contacts/group@a.example')).body, { status: 'unsubscribed' })
})

t.test('a rejected key, a rate limit and broken pages', async (t) => {
  const one = await customer()
  const bad = await one.start({ provider: 'resend', api_key: 're_wrong_key_0123' })
  const failed = await one.reaches(bad.body.id, 'failed')
  t.match(failed.reason, /rejected the key \(401: “API key … is invalid”\)/)
  t.notMatch(JSON.stringify(failed), 're_wrong_key_0123')
  let calls = 0
  answers.set('/contacts', () => {
    calls++
    if (calls === 1) return { status: 429, headers: { 'retry-after': '1' }, body: { message: 'Too many requests' } }
    if (calls === 2) return { body: '{"object":"list","data":[{"id":' }
    if (calls === 3) return { status: 502, body: '<html>bad gateway</html>' }
    return { body: { object: 'list', has_more: false, data: [{ id: 'c', email: 'Late@People.example' }] } }
  })
  const { body } = await one.start({ provider: 'resend', api_key: keys.resend, parts: ['contacts'], dry_run: false })
  t.match(await one.reaches(body.id, 'finished'), { found: 1, imported: 1 })
  t.equal(calls, 4)
  answers.set('/contacts', () => ({
    body: { object: 'list', has_more: true, data: [{ id: 'c', email: 'a@b.example' }] },
  }))
  const endless = await one.start({ provider: 'resend', api_key: keys.resend, parts: ['contacts'] })
  t.match(await one.reaches(endless.body.id, 'failed'), { reason: /same page again/ })
  t.ok(
    seen.every(({ path }) => !path.includes('re_')),
    'the key is not part of a URL',
  )
})

t.test('one import at a time, cancelled or applied', async (t) => {
  const one = await customer()
  answers.set('/contacts', () => ({ status: 429, headers: { 'retry-after': '600' }, body: {} }))
  const first = await one.start({ provider: 'resend', api_key: keys.resend, parts: ['contacts'] })
  const second = await one.start({ provider: 'resend', api_key: keys.resend, parts: ['contacts'] })
  t.match([second.status, second.body.error.code], [409, 'import_open'])
  t.match((await one.ask(`POST /v1/moving/imports/${first.body.id}/apply`)).status, 409)
  t.match((await one.ask(`POST /v1/moving/imports/${first.body.id}/cancel`)).body, { status: 'cancelled' })
  t.match((await one.ask(`POST /v1/moving/imports/${first.body.id}/cancel`)).body, { status: 'cancelled' })
  t.match((await one.ask('GET /v1/moving/imports?status=cancelled&provider=resend')).body.data.length, 1)
  const other = await customer()
  t.equal((await other.ask(`GET /v1/moving/imports/${first.body.id}/rows`)).status, 404)
})

t.test('templates with very many tags are checked without blocking other requests', async (t) => {
  const one = await customer()
  const check = async (count: number, html: string) => {
    const templates = Array.from({ length: count }, (_, n) => ({ id: `t${n}`, name: `T${n}`, subject: 'S', html }))
    const { ms, result } = await heldUp(() => one.start({ provider: 'resend', templates }))
    await one.ask(`POST /v1/moving/imports/${result.body.id}/cancel`)
    return { ms, result }
  }
  const large = await check(1, '{{a}}'.repeat(6_000))
  t.match(await one.rows(large.result.body.id), [{ issues: [{ issue: 'is one of more than 5000 tags.' }] }])
  const long = await check(1, `{{${'a.'.repeat(5_000)}b}}`)
  t.match(await one.rows(long.result.body.id), [{ issues: [{ issue: /no equivalent/ }] }])
  const html = `${'{{name}}'.repeat(900)}{{formatMoney price now}}`
  const many = await check(300, html)
  t.match(many.result.body, { found: 300, invalid: 300 })
  // Without pauses, 270,000 tags block the process for seconds, in each try. Other work of the machine blocks single tries.
  let { ms: least } = many
  for (let tries = 0; tries < 4 && least >= 1_000; tries++) least = Math.min(least, (await check(300, html)).ms)
  t.ok(least < 1_000, `${Math.round(least)} ms`)
})

t.test('checked imports and objects per day have a limit', async (t) => {
  const one = await customer()
  const about = { org_id: one.org.id, key_id: newId(), provider: 'postmark' as const, source: 'file' as const }
  const rest = { parts: ['suppressions' as const], app_id: null, credential: null, invalid: 0, dry_run: true }
  const add = (found: number, status: imports.Status) =>
    imports.insert(db, { id: newId(), ...about, ...rest, found, status })
  const start = () => one.start({ provider: 'postmark', part: 'suppressions', csv: 'email\nann@people.example\n' })
  const ready = await Promise.all(Array.from({ length: 10 }, () => add(1, 'ready')))
  t.match(await start(), { status: 409, body: { error: { code: 'import_open', message: /Apply or cancel/ } } })
  for (const { id } of ready.slice(0, 2)) await one.ask(`POST /v1/moving/imports/${id}/cancel`)
  t.equal((await start()).status, 202)
  await add(999_999, 'finished')
  t.match(await start(), { status: 429, body: { error: { message: /up to 1,000,000 objects per day/ } } })
})

t.test('a request names every field that does not fit', async (t) => {
  const one = await customer()
  const fields = async (body: object) => {
    const reply = await one.start(body)
    t.equal(reply.status, 400)
    return fieldsOf(reply)
  }
  t.same(await fields({ provider: 'resend' }), ['body.api_key'])
  t.same(await fields({ provider: 'mux', api_key: 'without-colon', app_id: one.org.id }), [
    'body.api_key',
    'body.app_id',
  ])
  t.same(await fields({ provider: 'onesignal', csv: 'a,b', part: 'contacts' }), ['body.app_id', 'body.part'])
  t.same(await fields({ provider: 'postmark', api_key: keys.postmark, parts: ['assets'] }), ['body.parts'])
  t.same(await fields({ provider: 'resend', templates: [{ id: 3 }, { nothing: true }] }), [
    'body.templates.0',
    'body.templates.1',
  ])
})
