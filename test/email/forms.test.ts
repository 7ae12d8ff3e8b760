import '../support/forms-environment.ts'
import t from 'tap'
import { newId } from '#lib/ids.ts'
import { hashSecret } from '#lib/tokens.ts'
import { sql } from '#sql/db.ts'
import * as tokens from '#sql/guard/tokens.ts'
import { askSignUp } from '#tasks/email/ask-sign-up.ts'
import { confirmUrl } from '#tasks/email/rules/consent/unsubscribe-link.ts'
import { startFleet } from '../../workers/runtime/fleet.ts'
import { fieldsOf } from '../support/ingress.ts'
import { signingSecret as secret } from '../support/signing-secret.ts'
import { until } from '../support/until.ts'
import { sending } from './sending.ts'

const { databaseUrl, db, ingress, sender } = await sending(t, ['guard'])
const plan = {
  pool: 'core' as const,
  settings: { concurrency: 2, fetchAhead: 0 },
  tasks: [askSignUp],
  tools: {} as never,
}
const fleet = await startFleet(databaseUrl, [plan], { lease: 60_000, sweep: 500, grace: 1_000 }, () => {})
t.teardown(() => fleet.stop())
const one = await sender()
await one.ask('POST /send/v1/topics', { body: { key: 'news', name: 'News', default_state: 'unsubscribed' } })
await one.ask('POST /send/v1/topics', { body: { key: 'offers', name: 'Offers', default_state: 'unsubscribed' } })

const form = {
  name: 'Footer',
  title: 'Our <newsletter>',
  consent_text: 'Send me the newsletter.\nOnce a month.',
  text_version: '2026-11',
  topics: ['news'],
  from_email: `news@${one.domain}`,
}

async function create(more = {}, key = one.key) {
  const { status, body, text } = await one.ask('POST /send/v1/forms', { body: { ...form, ...more }, key })
  if (status !== 201) throw new Error(text)
  const url = new URL(new URL(body.url).pathname, ingress.url).href
  const signUps = async () => (await one.ask(`GET /send/v1/forms/${body.id}/sign-ups`, { key })).body.data
  const settled = (count: number) =>
    until(async () => {
      const all = await signUps()
      return all.length === count && all.every(({ state }: { state: string }) => state !== 'waiting') && all
    })
  return { id: body.id as string, url, signUps, settled }
}

const send = (url: string, fields: [string, string][], init: RequestInit = {}) =>
  fetch(url, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual', ...init })

t.test('a sign-up is asked, confirmed, and becomes evidence', async (t) => {
  const { id, url, settled } = await create()
  const page = await (await fetch(url)).text()
  t.match(page, /Our &lt;newsletter&gt;/)
  t.match(page, /Once a month/)
  const reply = await send(url, [['email', ' Ann@people.example ']])
  t.equal(reply.status, 200)
  t.equal(reply.headers.get('set-cookie'), null)
  t.match(await reply.text(), /Check your inbox/)
  const [signUp] = await settled(1)
  t.match(signUp, { email: 'ann@people.example', state: 'asked', topics: ['news'], text_version: '2026-11' })
  const message = (await one.ask(`GET /send/v1/messages/${signUp.message_id}`)).body
  t.match(message, { stream: 'repermission', subject: 'Please confirm your subscription', to: 'ann@people.example' })
  const read = async () => (await one.ask('GET /send/v1/contacts/ann@people.example')).body
  t.match(await read(), {
    status: 'unconfirmed',
    topics: {},
    consents: [],
    history: [{ kind: 'added', source: 'form' }, { kind: 'asked' }],
  })
  const link = confirmUrl(ingress.url, signUp.message_id, secret)
  t.equal((await fetch(link)).status, 200)
  t.match(await read(), { status: 'unconfirmed' }, 'a scanner that follows the link confirms nothing')
  await fetch(link, { method: 'POST' })
  await fetch(link, { method: 'POST' })
  const ann = await read()
  t.match(ann, {
    status: 'confirmed',
    consent_source: 'Footer',
    topics: { news: 'subscribed' },
    consents: [{ source: 'Footer', given_at: signUp.created_at, ip: signUp.ip, text_version: '2026-11', form_id: id }],
  })
  t.equal(ann.consents.length, 1)
  t.match((await settled(1))[0], { state: 'confirmed' })
  t.equal((await one.send({ stream: 'subscribed', to: 'ann@people.example', topic: 'news' })).status, 202)
})

t.test(
  'the request and the evidence have the text that the visitor saw, even if the form changes at once',
  async (t) => {
    const { id, url, settled } = await create({ topics: [] })
    await db.query(sql.unsafe`
    create function email.change_form() returns trigger language plpgsql as $$ begin
      update email.forms set consent_text = 'Sell my data', title = 'Other', text_version = '2099' where id = new.form_id;
      return null;
    end $$`)
    await db.query(sql.unsafe`
    create trigger change after insert on email.sign_ups for each row execute function email.change_form()`)
    await send(url, [['email', 'text@people.example']])
    await db.query(sql.unsafe`drop trigger change on email.sign_ups`)
    const [signUp] = await settled(1)
    const { consent_text, text_version } = form
    t.match(signUp, { state: 'asked', text_version, consent_text })
    const content = await one.ask(`GET /send/v1/messages/${signUp.message_id}/content`)
    t.match(content.text, /Once a month/)
    t.notMatch(content.text, /Sell my data/)
    await fetch(confirmUrl(ingress.url, signUp.message_id, secret), { method: 'POST' })
    t.match((await one.ask('GET /send/v1/contacts/text@people.example')).body.consents, [
      { text_version, consent_text },
    ])
    t.match((await one.ask(`GET /send/v1/consents?form_id=${id}`)).body.data, [{ text_version, consent_text }])
    t.match((await one.ask('GET /send/v1/consents/export')).text, /consent_text\r?\n[\s\S]*Once a month/)
  },
)

t.test('the reply reveals nothing about the address', async (t) => {
  const { url, settled } = await create()
  await one.ask('POST /send/v1/contacts/out@people.example/unsubscribe')
  await one.ask('POST /send/v1/suppressions', { body: { email: 'bounced@people.example' } })
  await one.ask('POST /send/v1/contacts', { body: { email: 'in@people.example', consent_source: 'x' } })
  const replies = []
  for (const email of [
    'new@people.example',
    'out@people.example',
    'bounced@people.example',
    'in@people.example',
    'in@people.example',
  ]) {
    const reply = await send(url, [['email', email]])
    replies.push(`${reply.status} ${await reply.text()}`)
  }
  t.equal(new Set(replies).size, 1)
  const states = (await settled(5)).reverse()
  t.match(states[1], { state: 'skipped', reason: /unsubscribed/ })
  const ofContact = states
    .slice(3)
    .toSorted((a: { state: string }, b: { state: string }) => a.state.localeCompare(b.state))
  t.match(ofContact[0], { state: 'asked' }, 'a confirmed contact confirms further topics')
  t.match(ofContact[1], { state: 'skipped', reason: /recently/ })
  t.match((await one.ask('GET /send/v1/contacts/in@people.example')).body, { status: 'confirmed', topics: {} })
})

t.test('visitors choose among several topics', async (t) => {
  const { url, settled } = await create({ topics: ['news', 'offers'] })
  t.match(await (await fetch(url)).text(), /value="offers" checked/)
  await send(url, [
    ['email', 't1@people.example'],
    ['topics', ''],
    ['topic', 'offers'],
    ['topic', 'nope'],
  ])
  await settled(1)
  await send(url, [
    ['email', 't2@people.example'],
    ['topics', ''],
  ])
  await settled(2)
  await send(url, [['email', 't3@people.example']])
  t.same(
    (await settled(3)).map(({ topics }: { topics: string[] }) => topics),
    [['news', 'offers'], [], ['offers']],
  )
})

t.test('a form can require the guard’s check, and each token works once', async (t) => {
  const siteId = newId()
  await db.query(sql.typeAlias('void')`
    insert into guard.sites (id, org_id, name, site_key, origins, policy)
    values (${siteId}, ${one.orgId}, 'x', 'bt_site_x', ${sql.array(['https://x.example'], 'text')}, ${sql.jsonb({ min_tier: 'low', max_tier: 'high', noscript: true, sha256: false, rate_per_minute: 60 })})`)
  const { url, signUps } = await create({ guard_site_id: siteId })
  const page = await fetch(url)
  t.match(await page.text(), /<mill-guard sitekey="bt_site_x" action="subscribe"/)
  t.match(page.headers.get('content-security-policy'), /script-src 'self'/)
  const make = async (action: string) => {
    const row = {
      org_id: one.orgId,
      site_id: siteId,
      challenge_id: null,
      action,
      tier: 'low' as const,
      hostname: null,
      solve_ms: 1,
    }
    const [made] = await db.transaction((tx) => tokens.createMany(tx, [row]))
    return made?.token ?? ''
  }
  const token = await make('subscribe')
  t.equal((await send(url, [['email', 'g@people.example']])).status, 400)
  t.equal(
    (
      await send(url, [
        ['email', 'g@people.example'],
        ['mill-guard-token', await make('login')],
      ])
    ).status,
    400,
  )
  t.equal(
    (
      await send(url, [
        ['email', 'nothing'],
        ['mill-guard-token', token],
      ])
    ).status,
    400,
    'a wrong address does not use the token',
  )
  t.equal(
    (
      await send(url, [
        ['email', 'g@people.example'],
        ['mill-guard-token', token],
      ])
    ).status,
    200,
  )
  const replayed = await send(url, [
    ['email', 'g2@people.example'],
    ['mill-guard-token', token],
  ])
  t.equal(replayed.status, 400)
  t.match(await replayed.text(), /security check failed/)
  t.equal((await signUps()).length, 1)
  const replays = await db.oneFirst(sql.typeAlias('count')`
    select replays as count from guard.tokens where hash = ${hashSecret(token)}`)
  t.equal(replays, 1)
})

t.test('closed and deleted forms, other methods of sending, and bad input', async (t) => {
  const { id, url, signUps } = await create({ success_url: 'https://shop.example/thanks' })
  const sent = await send(url, [
    ['email', 'm@people.example'],
    ['utm', 'x'],
  ])
  t.match([sent.status, sent.headers.get('location')], [303, 'https://shop.example/thanks'])
  const json = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: 'https://shop.example' },
    body: JSON.stringify({ email: 'j@people.example' }),
    redirect: 'manual',
  })
  t.match([json.status, json.headers.get('access-control-allow-origin')], [303, '*'])
  await send(url, [
    ['email', 'bot@people.example'],
    ['website', 'http://spam.example'],
  ])
  t.equal((await signUps()).length, 2, 'a filled trap is not recorded')
  const wrong = [
    '',
    'nothing',
    'a@',
    '@b.example',
    'a b@c.example',
    'a@b',
    'a@b.example,c@d.example',
    'a@b.example\r\nBcc: x@y.example',
    'x'.repeat(2000),
    '<script>alert(1)</script>',
  ]
  for (const email of wrong) {
    const reply = await send(url, [['email', email]])
    t.equal(reply.status, 400, email.slice(0, 30))
    t.notMatch(await reply.text(), /<script>alert/)
  }
  t.equal((await send(url, [['email', 'a\0@b.example']])).status, 400)
  await one.ask(`PATCH /send/v1/forms/${id}`, { body: { active: false } })
  t.equal((await fetch(url)).status, 404)
  t.equal((await send(url, [['email', 'a@b.example']])).status, 404)
  await one.ask(`DELETE /send/v1/forms/${id}`)
  for (const path of [id, newId(), 'x']) t.equal((await fetch(`${ingress.url}/send/v1/subscribe/${path}`)).status, 404)
})

t.test('a network sends 30 sign-ups within an hour', async (t) => {
  const { id, url } = await create()
  await db.query(sql.typeAlias('void')`
    insert into email.sign_ups (id, org_id, form_id, email, source, title, consent_text, text_version, ip, network, state)
    select gen_random_uuid(), ${one.orgId}, ${id}, 'n' || n || '@n.example', 'x', 'x', 'x', '1', '127.0.0.1', '127.0.0.1', 'skipped'
    from generate_series(1, 30) as n`)
  const reply = await send(url, [['email', 'late@people.example']])
  t.match([reply.status, Number(reply.headers.get('retry-after')) > 0], [429, true])
  await db.query(sql.typeAlias('void')`update email.sign_ups set created_at = now() - interval '61 minutes'`)
  t.equal((await send(url, [['email', 'late@people.example']])).status, 200)
})

t.test('test keys have their own forms, which record and deliver nothing', async (t) => {
  const { id, url, settled } = await create({ from_email: 'a@not-mine.example' }, one.sandbox)
  await send(url, [['email', 'sand@people.example']])
  const [signUp] = await settled(1)
  t.match(signUp, { state: 'asked' })
  t.match((await one.ask(`GET /send/v1/messages/${signUp.message_id}`)).body, { sandbox: true, status: 'sent' })
  t.equal((await one.ask(`GET /send/v1/forms/${id}`)).status, 404)
  t.equal((await one.ask('GET /send/v1/contacts/sand@people.example')).status, 404)
})

t.test('invalid fields of a form are named', async (t) => {
  const cases: [object, string[]][] = [
    [{ name: '' }, ['body.name']],
    [{ name: 'a\nb' }, ['body.name']],
    [{ title: undefined }, ['body.title']],
    [{ title: 'x'.repeat(201) }, ['body.title']],
    [{ consent_text: '' }, ['body.consent_text']],
    [{ consent_text: 'x'.repeat(5_001) }, ['body.consent_text']],
    [{ text_version: '' }, ['body.text_version']],
    [{ topics: ['nope'] }, ['body.topics.0']],
    [{ topics: ['news', 'news'] }, ['body.topics']],
    [{ topics: 'news' }, ['body.topics']],
    [{ topics: ['A'] }, ['body.topics.0']],
    [{ from_email: 'x' }, ['body.from_email']],
    [{ subject: 'a\r\nBcc: x' }, ['body.subject']],
    [{ guard_site_id: newId() }, ['body.guard_site_id']],
    [{ guard_site_id: 'x' }, ['body.guard_site_id']],
    [{ success_url: 'javascript:alert(1)' }, ['body.success_url']],
    [{ success_url: '/thanks' }, ['body.success_url']],
    [{ active: 'yes' }, ['body.active']],
    [{ more: 1 }, ['body.more']],
  ]
  for (const [more, fields] of cases) {
    const reply = await one.ask('POST /send/v1/forms', { body: { ...form, ...more } })
    t.same([reply.status, fieldsOf(reply)], [400, fields], JSON.stringify(more))
  }
  t.match((await one.ask('POST /send/v1/forms', { body: { ...form, from_email: 'a@elsewhere.example' } })).body.error, {
    code: 'domain_not_verified',
  })
  t.equal((await one.ask('POST /send/v1/forms', { body: form, key: one.locked })).status, 403)
  const stranger = await sender()
  const { id } = await create()
  for (const request of [
    `GET /send/v1/forms/${id}`,
    `DELETE /send/v1/forms/${id}`,
    `GET /send/v1/forms/${id}/sign-ups`,
  ])
    t.equal((await stranger.ask(request)).status, 404)
})

t.test('a key reaches only the forms of its domains', async (t) => {
  const { id } = await create()
  const { locked: key } = one
  t.same((await one.ask('GET /send/v1/forms', { key })).body.data, [])
  for (const call of [`GET /send/v1/forms/${id}`, `GET /send/v1/forms/${id}/sign-ups`, `DELETE /send/v1/forms/${id}`])
    t.equal((await one.ask(call, { key })).status, 404, call)
  const change = { subject: 'Your account is closed', consent_text: 'Pay now' }
  t.equal((await one.ask(`PATCH /send/v1/forms/${id}`, { key, body: change })).status, 404)
  t.match((await one.ask(`GET /send/v1/forms/${id}`)).body, { consent_text: form.consent_text })
})
