import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { signToken } from '#lib/tokens.ts'
import { sql } from '#sql/db.ts'
import * as contents from '#sql/email/contents.ts'
import * as messages from '#sql/email/messages.ts'
import { unsubscribeUrl } from '#tasks/email/rules/consent/unsubscribe-link.ts'
import { trackingTarget } from '#tasks/email/rules/domains/records.ts'
import { findAnchors } from '#tasks/email/rules/tracking/anchors.ts'
import { trackHtml } from '#tasks/email/rules/tracking/track-html.ts'
import { clickUrl, openUrl } from '#tasks/email/rules/tracking/tracking-links.ts'
import { engagementRecorder } from '../../ingress/email/tracking/recorder.ts'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { testDatabase } from '../support/database.ts'
import { fieldsOf, testIngress, testOrg } from '../support/ingress.ts'
import { verified } from './sending.ts'

const secret = 'a signing secret of the tests alone'
const { db } = await testDatabase(t)
const { ask, app } = await testIngress(t, db, [], {
  only: ['email'],
  services: [provide(signingSecret, secret)],
  trustedProxies: ['127.0.0.1'],
})
const origin = 'https://platform.example'
const reader = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Thunderbird/140.0'

async function scene(name: string) {
  const { org, keys } = await testOrg(db, ['email:send', 'email:manage'])
  await verified(db, org.id, name)
  const key = keys.main
  await ask(`PATCH /send/v1/domains/${name}`, { key, body: { track_opens: true, track_clicks: true } })
  const domain = await db.oneFirst(sql.type(z.object({ id: z.string() }))`
    select id from email.domains where org_id = ${org.id}`)
  return { orgId: org.id, key, domainId: domain }
}

async function addMessage(orgId: string, domainId: string, more: Partial<messages.NewMessage> = {}): Promise<string> {
  const [id, content_id] = [newId(), newId()]
  await contents.insertMany(db, [
    { id: content_id, org_id: orgId, html: 'x', text: 'x', reply_to: null, headers: {}, attachments: [] },
  ])
  await messages.insertMany(db, [
    {
      id,
      org_id: orgId,
      key_id: null,
      sandbox: false,
      stream: 'transactional',
      domain_id: domainId,
      from_email: 'a@shop.example',
      from_name: null,
      to_email: 'b@rcpt.example',
      subject: 'x',
      content_id,
      campaign_id: null,
      contact_id: null,
      template_id: null,
      message_id: `${id}@shop.example`,
      status: 'delivered',
      reason: null,
      ...more,
    },
  ])
  await db.query(sql.typeAlias('void')`
    update email.messages set delivered_at = now() - interval '1 hour' where id = ${id}`)
  return id
}

const one = await scene('shop.example')
const flush = () => app.services(engagementRecorder).flush()
const visit = (url: string, headers: Record<string, string> = {}) =>
  ask(`GET ${url.startsWith('/') ? url : new URL(url).pathname}`, { headers: { 'user-agent': reader, ...headers } })
const engagement = async (id: string, key = one.key) => {
  await flush()
  return (await ask(`GET /send/v1/messages/${id}`, { key })).body.engagement
}
const place = async (more: object = {}) => ({
  messageId: await addMessage(one.orgId, one.domainId),
  domainId: one.domainId,
  host: null,
  origin,
  ...more,
})

t.test('no link leads anywhere but to its signed target', async (t) => {
  const here = await place()
  const url = clickUrl(here, 'https://shop.example/a', secret)
  const token = new URL(url).pathname.slice(3)
  const [body, mac] = token.split('.') as [string, string]
  const claims = { m: here.messageId, d: here.domainId, u: 'https://evil.example/' }
  const forged = Buffer.from(JSON.stringify(claims)).toString('base64url')
  const attacks: Record<string, string> = {
    'a target in the query': `${token}?u=https://evil.example/`,
    'another body under the same signature': `${forged}.${mac}`,
    'no signature': `${forged}.`,
    'a body alone': forged,
    'a signature of another secret': signToken('email click', claims, 'another secret'),
    'a signature for opens': signToken('email open', claims, secret),
    'a signature for unsubscribing': signToken('email unsubscribe', claims, secret),
    'a script as the target': signToken('email click', { ...claims, u: 'javascript:alert(1)' }, secret),
    'a data URL as the target': signToken('email click', { ...claims, u: 'data:text/html,x' }, secret),
    'a path as the target': signToken('email click', { ...claims, u: '//evil.example/' }, secret),
    'a domain that does not exist': signToken('email click', { ...claims, d: newId() }, secret),
    'a domain that is no ID': signToken('email click', { ...claims, d: 'x' }, secret),
    'a message that is no ID': signToken('email click', { ...claims, m: 'x' }, secret),
    'a number as the target': signToken('email click', { ...claims, u: 1 }, secret),
    'no target': signToken('email click', { m: claims.m, d: claims.d }, secret),
    'three parts': `${token}.x`,
    'a changed letter': `${body.slice(0, -1)}${body.endsWith('A') ? 'B' : 'A'}.${mac}`,
    'a shortened signature': token.slice(0, -1),
    'a host of a customer': signToken('email click', { ...claims, h: 'links.other.example' }, secret),
    'nothing but dots': '...',
    'a long token': 'a'.repeat(5_900),
    'percent signs': '%25%00',
    'a URL': encodeURIComponent('https://evil.example/'),
    'characters beyond ASCII': encodeURIComponent('ü€'),
  }
  for (const [name, attack] of Object.entries(attacks)) {
    const reply = await visit(`/c/${attack}`)
    const isTarget = name === 'a target in the query'
    t.equal(reply.status, isTarget ? 302 : name === 'percent signs' ? reply.status : 404, name)
    t.ok(reply.status < 500, name)
    t.not(reply.headers.get('location') ?? '', 'https://evil.example/', name)
  }
  for (const attack of [token, 'x', `${forged}.${mac}`, signToken('email open', { m: 'x', d: 'y' }, secret)])
    t.equal((await visit(`/o/${attack}`)).status, 404)
  t.equal((await visit(url)).headers.get('location'), 'https://shop.example/a')
})

t.test('a link of the host of one customer does not work on another host', async (t) => {
  const own = clickUrl(await place({ host: 'links.shop.example' }), 'https://shop.example/a', secret)
  t.match(own, /^https:\/\/links\.shop\.example\/c\//)
  t.equal((await visit(own, { 'x-forwarded-host': 'links.shop.example' })).status, 302)
  t.equal((await visit(own, { 'x-forwarded-host': 'links.other.example' })).status, 404)
  t.equal((await visit(own)).status, 404)
  const common = clickUrl(await place(), 'https://evil.example/', secret)
  t.equal(
    (await visit(common, { 'x-forwarded-host': 'links.shop.example' })).status,
    404,
    'nor a link of the API on their host',
  )
})

t.test('replays are counted, but cost one row', async (t) => {
  const here = await place()
  const url = openUrl(here, secret)
  await Promise.all(Array.from({ length: 300 }, () => visit(url)))
  await flush()
  const { rowCount } = await db.query(sql.typeAlias('void')`
    select from email.engagements where message_id = ${here.messageId}`)
  t.equal(rowCount, 1)
  t.match((await engagement(here.messageId)).opens, { count: 300 })
})

t.test('requests for deleted and test messages are answered, and not stored', async (t) => {
  const gone = openUrl(await place({ messageId: newId() }), secret)
  t.equal((await visit(gone)).status, 200)
  const id = await addMessage(one.orgId, one.domainId, { sandbox: true })
  t.equal((await visit(clickUrl(await place({ messageId: id }), 'https://shop.example/', secret))).status, 302)
  await flush()
  const { rowCount } = await db.query(sql.typeAlias('void')`select from email.engagements where message_id = ${id}`)
  t.equal(rowCount, 0)
})

t.test('links end with their domain and their organisation; turning tracking off ends counting only', async (t) => {
  for (const end of ['domain', 'organisation', 'tracking'] as const) {
    const { orgId, key, domainId } = await scene(`${end}.example`)
    const messageId = await addMessage(orgId, domainId)
    const url = clickUrl({ messageId, domainId, host: null, origin }, 'https://shop.example/', secret)
    if (end === 'domain') await ask(`DELETE /send/v1/domains/${end}.example`, { key })
    if (end === 'tracking') await ask(`PATCH /send/v1/domains/${end}.example`, { key, body: { track_clicks: false } })
    if (end === 'organisation')
      await db.query(sql.typeAlias('void')`
        insert into account.closures (id, org_id, requested_by_kind, due_at)
        values (${newId()}, ${orgId}, 'operator', now() + interval '7 days')`)
    const reply = await visit(url)
    t.equal(reply.status, end === 'tracking' ? 302 : 404, end)
    if (end !== 'tracking') t.match(reply.text, 'This link does not work')
    else t.match((await engagement(messageId, key)).clicks, { count: 0 })
  }
})

t.test('the settings of a domain reject what cannot be', async (t) => {
  const { key } = await scene('bad.example')
  const host = (value: unknown): [unknown, string] => [{ tracking_host: value }, 'body.tracking_host']
  const bad: [unknown, string][] = [
    [{}, 'body'],
    [[], 'body'],
    ['x', 'body'],
    [{ track_opens: 'yes' }, 'body.track_opens'],
    [{ track_opens: null }, 'body.track_opens'],
    [{ track_opens: 1 }, 'body.track_opens'],
    [{ track_clicks: {} }, 'body.track_clicks'],
    [{ track_click: true }, 'body.track_click'],
    [{ domain: 'x.example' }, 'body.domain'],
    ...[
      ...['bad.example', 'links.other.example', 'notbad.example', 'bounce.bad.example', 'links', '', ' ', '127.0.0.1'],
      ...[
        'https://links.bad.example',
        'links.bad.example/x',
        'links.bad.example:8443',
        '*.bad.example',
        'a@bad.example',
      ],
      ...['links..bad.example', '-x.bad.example', `${'a'.repeat(64)}.bad.example`, 'a b.bad.example'],
      ...[1, true, [], {}, `${'a.'.repeat(112)}bad.example`, 'links.bad.example\n'],
    ].map(host),
  ]
  for (const [body, field] of bad) {
    const reply = await ask('PATCH /send/v1/domains/bad.example', { key, body })
    t.equal(reply.status, 400, JSON.stringify(body))
    t.ok(
      fieldsOf(reply).some((name) => name.startsWith(field)),
      `${JSON.stringify(body)} names ${field}: ${fieldsOf(reply)}`,
    )
  }
  const paths = ['nowhere.example', 'shop.example']
  for (const path of paths)
    t.equal((await ask(`PATCH /send/v1/domains/${path}`, { key, body: { track_opens: true } })).status, 404)
  const queries: [string, string][] = [
    ['days=0', 'query.days'],
    ['days=91', 'query.days'],
    ['days=x', 'query.days'],
    ['group_by=hour', 'query.group_by'],
    ['stream=marketing', 'query.stream'],
    ['campaign_id=x', 'query.campaign_id'],
    ['since=2026-01-01', 'query.since'],
  ]
  for (const [query, field] of queries) {
    const reply = await ask(`GET /send/v1/analytics/engagement?${query}`, { key })
    t.equal(reply.status, 400, query)
    t.ok(fieldsOf(reply).includes(field), query)
  }
  for (const value of ['no', 1, {}, []]) {
    const body = {
      stream: 'transactional',
      from: { email: 'a@bad.example' },
      to: 'b@rcpt.example',
      subject: 'x',
      text: 'x',
    }
    const reply = await ask('POST /send/v1/messages', {
      key,
      body: { ...body, track_opens: value, track_clicks: value },
    })
    t.same([reply.status, ...fieldsOf(reply).sort()], [400, 'body.track_clicks', 'body.track_opens'])
  }
  const set = await ask('PATCH /send/v1/domains/bad.example', { key, body: { tracking_host: 'links.bad.example' } })
  t.match(set.body, { tracking_host: 'links.bad.example', tracking: { state: 'pending' } })
  t.match(set.body.records.at(-1), {
    kind: 'tracking_host',
    value: trackingTarget(),
    name: 'links.bad.example',
    required: false,
  })
  const other = await scene('links.bad.example')
  t.equal(
    (
      await ask('PATCH /send/v1/domains/links.bad.example', {
        key: other.key,
        body: { tracking_host: 'x.links.bad.example' },
      })
    ).status,
    200,
  )
})

t.test('only links of a elements are rewritten, whatever the HTML is', async (t) => {
  const here = await place()
  const track = (html: string, more: object = {}) =>
    trackHtml(html, { place: here, opens: false, clicks: true, ...more }, secret)
  const unchanged = [
    '',
    'no tags',
    '<a>x</a>',
    '<a href>x</a>',
    '<a href="">x</a>',
    '<a href="#">x</a>',
    '<a href="/path">x</a>',
    '<a href="//host.example/">x</a>',
    '<a href="mailto:a@b.example">x</a>',
    '<a href="JavaScript:alert(1)">x</a>',
    '<a href="ftp://a.example/">x</a>',
    '<a href="https://">x</a>',
    '<a href="https://a.example/{{x}}">x</a>',
    '<a href="https://a.example/?x&copyright;=1">x</a>',
    `<a href="https://a.example/${'x'.repeat(2_048)}">x</a>`,
    '<a data-href="https://a.example/">x</a>',
    '<area href="https://a.example/"><link href="https://a.example/">',
    '<abbr href="https://a.example/">x</abbr>',
    '<img src="https://a.example/x.png">',
    '<!-- <a href="https://a.example/"> -->',
    '<!--[if mso]><a href="https://a.example/">x</a><![endif]-->',
    '<!-- <a href="https://a.example/">',
    '<script>"<a href=\'https://a.example/\'>"</script>',
    '<style><a href="https://a.example/"></style>',
    '<style><a href="https://a.example/">',
    '<textarea><a href="https://a.example/">x</a></textarea>',
    '<p title="<a href=\'https://a.example/\'>">x</p>',
    '<a data-no-track href="https://a.example/">x</a>',
    '<a href="https://a.example/" data-no-track="1">x</a>',
    `<a href="${unsubscribeUrl(origin, here.messageId, secret)}">x</a>`,
    '</a href="https://a.example/">',
    '< a href="https://a.example/">',
  ]
  for (const html of unchanged) t.equal(track(html), html)
  const rewritten: [string, string][] = [
    ['<a href="https://a.example">x</a>', 'https://a.example/'],
    ["<A HREF='HTTPS://A.example/X'>x</A>", 'https://a.example/X'],
    ['<a\nhref = "https://a.example/">x</a>', 'https://a.example/'],
    ['<a href=https://a.example/x>x</a>', 'https://a.example/x'],
    ['<a href=" https://a.example/ ">x</a>', 'https://a.example/'],
    ['<a href="https://a.example/?a=1&amp;b=&#50;&#x33;">x</a>', 'https://a.example/?a=1&b=23'],
    ['<a href="https://a.example/?a=1&b=2">x</a>', 'https://a.example/?a=1&b=2'],
    ['<a href="https://a.example/ü">x</a>', 'https://a.example/%C3%BC'],
    ['<a href="https://bücher.example/">x</a>', 'https://xn--bcher-kva.example/'],
    ['<a href="https://a.example/" href="https://b.example/">x</a>', 'https://a.example/'],
    ['<style>a{}</style><a href="https://a.example/">x</a>', 'https://a.example/'],
    ['<a title="a > b" href="https://a.example/">x</a>', 'https://a.example/'],
    ['<a href="https://a.example/\r\nSet-Cookie:x">x</a>', 'https://a.example/Set-Cookie:x'],
  ]
  for (const [html, target] of rewritten) {
    const [anchor] = findAnchors(track(html))
    t.match(anchor?.href, /^https:\/\/platform\.example\/c\/[\w.-]+$/, html)
    t.equal((await visit(anchor?.href as string)).headers.get('location'), target, html)
  }
  const image = (html: string) => track(html, { opens: true, clicks: false }).replace(/<img [^>]*>/, '[image]')
  t.equal(image('<body>x</BODY></html>'), '<body>x[image]</BODY></html>')
  t.equal(image('x'), 'x[image]')
})

t.test('hostile HTML is read in time that grows with its length', (t) => {
  const half = 500_000
  const hostile = [
    '<a ',
    '<a href="',
    "<a href='",
    '<a href=',
    '<!--',
    '<a b=" c=\' ',
    '<a        ',
    '<style>',
    '</style',
    '<',
    '<a href="https://a.example/">',
  ]
  for (const piece of hostile) {
    const html = piece.repeat(Math.ceil(half / piece.length))
    const begun = performance.now()
    const found = [...findAnchors(html)].length
    t.ok(performance.now() - begun < 15_000, `${piece}: ${found} links in ${Math.round(performance.now() - begun)} ms`)
  }
  t.end()
})
