import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { simpleParser } from 'mailparser'
import t from 'tap'
import { sql } from '#sql/db.ts'
import { engagementRecorder } from '../../ingress/email/tracking/recorder.ts'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret as secretService } from '../../ingress/http/services.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { startSink } from '../support/mail-sink.ts'
import { addDomain, mailStack } from '../support/mail-stack.ts'
import { freePort } from '../support/postgres.ts'
import { signingSecret } from '../support/video-stack.ts'

t.setTimeout(240_000)
const port = await freePort()
const stack = await mailStack(t)
const { db } = stack
const sink = await startSink(t, '127.0.0.20', port)
const { app, ask } = await testIngress(t, db, [], {
  only: ['email'],
  services: [provide(secretService, signingSecret)],
})
await stack.startWorkers({ MAIL_SMARTHOST: `smtp://127.0.0.20:${port}`, MAIL_SMARTHOST_DELIVERS: 'true' })

const scopes = ['email:send', 'email:manage']
const { org, keys } = await testOrg(db, [], {
  keys: { live: { prefix: 'snd_live_', scopes }, test: { prefix: 'snd_test_', scopes } },
})
const domain = await addDomain(db, org.id, 'shop.example')
await addDomain(db, org.id, 'quiet.example')
const key = keys.live

const reader = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Thunderbird/140.0'
const html = `<html><head><style>a[href="https://in-style.example/"] {}</style></head><body>
<!-- <a href="https://in-comment.example/">x</a> -->
<a href="https://shop.example/orders?a=1&amp;b=2">Order</a>
<a class=x href='http://shop.example/plain'>Plain</a> <a href=https://shop.example/bare>Bare</a>
<a href="mailto:help@shop.example">Mail</a> <a href="#top">Top</a> <a href="tel:+372">Call</a>
<a data-no-track href="https://shop.example/excluded">Excluded</a>
<img src="https://shop.example/logo.png" alt="<a href='https://in-attribute.example/'>"></body></html>`

let made = 0
async function send(body: Record<string, unknown> = {}) {
  const to = `reader${++made}@rcpt.example`
  const reply = await ask('POST /send/v1/messages', {
    key,
    body: { stream: 'transactional', from: { email: 'hello@shop.example' }, to, subject: 'Order', html, ...body },
  })
  if (reply.status !== 202) throw new Error(reply.text)
  const mail = await sink.mailTo(to)
  await stack.becomes(reply.body.id, 'delivered')
  const parsed = await simpleParser(mail.raw)
  const shown = String(parsed.html)
  return { id: reply.body.id as string, mail, text: parsed.text ?? '', html: shown, links: linksOf(shown) }
}

const pathOf = (url: string | undefined) => new URL(url as string).pathname
const linksOf = (shown: string) => ({
  open: /<img src="(https:\/\/platform\.example\/o\/[^"]+)"/.exec(shown)?.[1],
  clicks: [...shown.matchAll(/href=["']?(https:\/\/platform\.example\/c\/[\w.-]+)/g)].map(([, url]) => url as string),
})
const visit = (url: string | undefined, userAgent = reader, headers: Record<string, string> = {}) =>
  ask(`GET ${pathOf(url)}`, { headers: { 'user-agent': userAgent, ...headers } })
const flush = () => app.services(engagementRecorder).flush()
const read = async (id: string) => {
  await flush()
  return (await ask(`GET /send/v1/messages/${id}`, { key })).body
}
/** Pretends that a message was delivered an hour ago, so that its requests are not instant. */
const age = (id: string) =>
  db.query(sql.typeAlias('void')`
    update email.messages set delivered_at = now() - interval '1 hour', sent_at = now() - interval '1 hour' where id = ${id}`)
const patch = (body: unknown) => ask('PATCH /send/v1/domains/shop.example', { key, body })

t.test('nothing is tracked unless the domain turns it on', async (t) => {
  const { links, html: shown } = await send({ from: { email: 'hello@quiet.example' } })
  t.same(links, { open: undefined, clicks: [] })
  t.match(shown, 'href="https://shop.example/excluded"')
})

t.test('opens and clicks of readers are counted, and links lead to their targets', async (t) => {
  t.match(await patch({ track_opens: true, track_clicks: true }), {
    status: 200,
    body: { track_opens: true, track_clicks: true, tracking_host: null, tracking: { state: 'active' } },
  })
  const sent = await send()
  t.equal(sent.links.clicks.length, 3)
  for (const untouched of [
    'in-style',
    'in-comment',
    'in-attribute',
    'mailto:help@',
    'href="#top"',
    'tel:+372',
    'https://shop.example/excluded',
  ])
    t.match(sent.html, untouched)
  t.notMatch(sent.text, /platform\.example/, 'the plain text has the links as they were written')
  t.match(sent.text, 'https://shop.example/orders?a=1&b=2')
  await age(sent.id)

  const image = await visit(sent.links.open)
  t.equal(image.status, 200)
  t.equal(image.headers.get('content-type'), 'image/gif')
  t.equal(image.headers.get('cache-control'), 'private, no-store')
  await visit(sent.links.open)
  const targets = []
  for (const url of sent.links.clicks) {
    const reply = await visit(url)
    t.equal(reply.status, 302)
    targets.push(reply.headers.get('location'))
    await flush()
  }
  t.same(targets, ['https://shop.example/orders?a=1&b=2', 'http://shop.example/plain', 'https://shop.example/bare'])
  t.match((await read(sent.id)).engagement, {
    opens: { count: 2, machine_count: 0 },
    clicks: { count: 3, machine_count: 0 },
    links: [{ url: 'https://shop.example/orders?a=1&b=2', count: 1 }],
  })
  const records = Object.fromEntries(
    domain.keys.records
      .split('\n')
      .map((line) => [
        `${line.split(' ')[0]}.shop.example`,
        (line.match(/"([^"]*)"/g) ?? []).map((part) => part.slice(1, -1)).join(''),
      ]),
  )
  const { results } = await dkimVerify(sent.mail.raw, {
    resolver: async (name: string) => [[records[name] ?? '']],
  } as never)
  t.same(
    results.map(({ status }) => status.result),
    ['pass', 'pass'],
    'the signature covers the tracked links',
  )
})

t.test('security messages, confirmation requests, opted-out messages and test messages are not tracked', async (t) => {
  const nothing = { open: undefined, clicks: [] }
  t.same((await send({ stream: 'security' })).links, nothing)
  await ask('POST /send/v1/contacts', { key, body: { email: `reader${made + 1}@rcpt.example` } })
  await db.query(sql.typeAlias('void')`update email.contacts set status = 'unconfirmed' where org_id = ${org.id}`)
  const asked = await send({ stream: 'repermission', html: `${html}<a href="{{confirm_url}}">Yes</a>` })
  t.same(asked.links, nothing)
  t.same((await send({ track_opens: false, track_clicks: false })).links, nothing)
  const noOpens = await send({ track_opens: false })
  t.equal(noOpens.links.open, undefined)
  t.equal(noOpens.links.clicks.length, 3)
  t.match(await read(noOpens.id), { track_opens: false, track_clicks: null })
  const noClicks = await send({ track_clicks: false })
  t.ok(noClicks.links.open)
  t.same(noClicks.links.clicks, [])
  const tried = await ask('POST /send/v1/messages', {
    key: keys.test,
    body: { stream: 'transactional', from: { email: 'hello@shop.example' }, to: 'a@rcpt.example', subject: 'x', html },
  })
  t.equal(tried.body.status, 'sent')
})

t.test('machines are marked, and are not counted as readers', async (t) => {
  const { id, links } = await send()
  await visit(links.open)
  await flush()
  t.match((await read(id)).engagement.opens, { count: 0, machine_count: 1 }, 'an open within seconds of the delivery')
  await age(id)
  const machines: [string, Record<string, string>?][] = [
    ['Mozilla/5.0'],
    ['Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)'],
    ['YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html'],
    ['curl/8.5.0'],
    ['Mozilla/5.0 (compatible; bingbot/2.0)'],
    ['Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/140.0.0.0'],
    [''],
    [reader, { 'sec-purpose': 'prefetch' }],
    [reader, { 'x-moz': 'prefetch' }],
  ]
  for (const [agent, headers] of machines) t.equal((await visit(links.open, agent, headers)).status, 200)
  t.equal((await ask(`HEAD ${pathOf(links.open)}`, { headers: { 'user-agent': reader } })).status, 200)
  t.match((await read(id)).engagement.opens, { count: 0, machine_count: 2 + machines.length })
  await visit(links.open)
  t.match((await read(id)).engagement.opens, { count: 1, machine_count: 2 + machines.length })
  for (const name of ['dnt', 'sec-gpc']) await visit(links.open, reader, { [name]: '1' })
  t.match((await read(id)).engagement.opens, { count: 1 }, 'readers who object are not counted')
  for (const url of links.clicks) await visit(url)
  t.match(
    (await read(id)).engagement.clicks,
    { count: 0, machine_count: 3 },
    'a scanner opens all links within a second',
  )
})

t.test('a campaign shows its opens and clicks, and its personal links lead where they should', async (t) => {
  await ask('POST /send/v1/contacts', {
    key,
    body: { email: 'fan@rcpt.example', attributes: { city: 'tallinn' } },
  })
  const body = {
    name: 'News',
    subject: 'News',
    from_email: 'hello@shop.example',
    html: '<p><a href="https://shop.example/{{contact.attributes.city}}">Shop</a> <a href="{{unsubscribe_url}}">Leave</a></p>',
  }
  const made = await ask('POST /send/v1/campaigns', { key, body })
  t.match(made.body, { track_opens: null, track_clicks: null })
  t.equal((await ask(`POST /send/v1/campaigns/${made.body.id}/send`, { key })).status, 202)
  const mail = await sink.mailTo('fan@rcpt.example')
  const shown = String((await simpleParser(mail.raw)).html)
  const links = linksOf(shown)
  t.equal(links.clicks.length, 1)
  t.match(shown, /href="https:\/\/platform\.example\/send\/v1\/unsubscribe\//, 'the unsubscribe link is not tracked')
  const { data } = (await ask(`GET /send/v1/messages?campaign_id=${made.body.id}`, { key })).body
  await stack.becomes(data[0].id, 'delivered')
  await age(data[0].id)
  t.equal((await visit(links.clicks[0])).headers.get('location'), 'https://shop.example/tallinn')
  await visit(links.open)
  await flush()
  t.match((await ask(`GET /send/v1/campaigns/${made.body.id}`, { key })).body.engagement, {
    opened: 1,
    opens: 1,
    clicked: 1,
    clicks: 1,
    machine_opened: 0,
  })
  const counts = async (group: string) =>
    (await ask(`GET /send/v1/analytics/engagement?group_by=${group}`, { key })).body.data
  t.match(await counts('campaign'), [{ key: made.body.id, name: 'News', opened: 1, clicked: 1 }])
  t.match(await counts('domain'), [{ key: 'shop.example', opened: 3 }])
  t.match(await counts('day'), [{ key: new Date().toISOString().slice(0, 10), opened: 3 }])
  t.same(await counts('tag'), [])
})

t.test('a message to several recipients tells their opens apart', async (t) => {
  const body = { cc: ['cc@rcpt.example'], tags: [{ name: 'kind', value: 'order' }] }
  const { id, links } = await send(body)
  const copy = String((await simpleParser((await sink.mailTo('cc@rcpt.example')).raw)).html)
  t.not(linksOf(copy).open, links.open)
  await age(id)
  await visit(links.open)
  const whole = await read(id)
  t.match(whole.engagement.opens, { count: 1 })
  t.match((await read(whole.copies[0].id)).engagement.opens, { count: 0 })
  const { data } = (await ask('GET /send/v1/analytics/engagement?group_by=tag', { key })).body
  t.match(data, [{ key: 'kind:order', opened: 1 }])
})
