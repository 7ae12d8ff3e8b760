import { existsSync } from 'node:fs'
import t from 'tap'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import * as suppressions from '#sql/email/contacts/suppressions.ts'
import * as attempts from '#sql/email/delivery/attempts.ts'
import * as deliveries from '#sql/email/delivery/deliveries.ts'
import * as mxSets from '#sql/email/delivery/mx-sets.ts'
import { get, signIn } from '../console/fixture.ts'
import { chromiumPath, keepPicture, startBrowser, watchedPage } from '../support/browser.ts'
import { testOrg } from '../support/ingress.ts'
import { dsn, inboundStack } from './inbound-fixture.ts'
import { send } from './smtp-client.ts'

t.setTimeout(240_000)
const stack = await inboundStack(t, undefined, ['console'])
const { db, url, org, port } = stack
const { keys } = await testOrg(db, ['operator'])
const cookie = await signIn({ db, url, key: keys.main, orgId: org.id })

const sent = await stack.message({ to: 'ada@rcpt.example' })
const waiting = await stack.message({ to: 'bob@slow.example' })
const site = { pool: 'campaign' as const, local_address: '198.51.100.20', mx_set: 'mx1.slow.example mx2.slow.example' }
await deliveries.insertMany(db, [
  {
    message_id: waiting.id,
    org_id: org.id,
    pool: 'campaign',
    to_domain: 'slow.example',
    turn: 0,
    give_up_at: new Date(Date.now() + 3_600_000).toISOString(),
  },
])
await mxSets.slow(db, site, {
  suspend: 600_000,
  recovery: 120_000,
  highest: 16,
  reply_class: 'rate_limited',
  reason: '421 4.7.0 <b>Too many</b>',
})
const reply = { stage: 'DOT', code: 250, enhanced: '2.0.0', text: 'Ok: queued as <4F2>', ms: 812.4 }
await db.query(
  sql.typeAlias('void')`${attempts.table.insertMany([
    {
      id: newId(),
      org_id: org.id,
      message_id: sent.id,
      number: 1,
      outcome: 'delivered',
      reply_class: null,
      mx_host: 'mx.rcpt.example',
      mx_address: '203.0.113.5',
      pool: 'campaign',
      local_address: '198.51.100.20',
      tls: { version: 'TLSv1.3', cipher: 'TLS_AES_256_GCM_SHA384', verified: true },
      replies: [{ stage: 'greeting', code: 220, enhanced: null, text: 'mx.rcpt.example ESMTP', ms: 12 }, reply],
      started_at: new Date().toISOString(),
      ended_at: new Date().toISOString(),
    },
  ])}`,
)
await send(t, port, '', sent.verp, dsn('Action: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 No such user'))
await suppressions.insertMany(
  db,
  Array.from({ length: 150 }, (_, i) => ({
    org_id: org.id,
    email: `zed${String(i).padStart(3, '0')}@rcpt.example`,
    reason: 'manual' as const,
    message_id: null,
    detail: null,
  })),
)

t.test('the page Mail tells what waits, who is slowed and what was replied', async (t) => {
  const { text } = await get(url, '/ops/mail', cookie)
  for (const word of [
    'slow.example',
    'mx1.slow.example mx2.slow.example',
    'suspended',
    '421 4.7.0 &lt;b&gt;Too many',
    '250 2.0.0 Ok: queued as &lt;4F2&gt;',
  ])
    t.match(text, word)
  t.match(await get(url, '/ops/mail', ''), { status: 303 }, 'for operators alone')
})

t.test('a message’s route is found by its id or its Message-ID, with what came back', async (t) => {
  for (const named of [sent.id, `<${sent.messageId}>`])
    t.match(
      (await get(url, `/ops/mail?find=${encodeURIComponent(named)}`, cookie)).headers.get('location'),
      `/ops/mail/messages/${sent.id}`,
    )
  const { text } = await get(url, `/ops/mail/messages/${sent.id}`, cookie)
  for (const word of [
    'bounced (invalid_recipient)',
    'mx.rcpt.example (203.0.113.5)',
    'TLSv1.3, verified',
    '812 ms',
    'bounce from',
    '550 No such user',
  ])
    t.match(text, word)
  t.match((await get(url, `/ops/mail?find=${newId()}`, cookie)).text, 'Message not found')
  t.match(await get(url, `/ops/mail/messages/${newId()}`, cookie), { status: 404 })
})

t.test('suppressed addresses are listed by what they begin with, a page at a time', async (t) => {
  t.match(
    (await get(url, '/ops/mail?find=ADA@', cookie)).headers.get('location'),
    /\/ops\/mail\/suppressions\?start=ADA/,
  )
  const { text } = await get(url, '/ops/mail/suppressions?start=ADA', cookie)
  t.match(text, /ada@rcpt\.example.*bounce.*550 No such user/s)
  t.notMatch(text, /zed\d/)
  const first = (await get(url, '/ops/mail/suppressions?start=zed', cookie)).text
  t.match(first, 'zed099')
  t.notMatch(first, 'zed100')
  const more = /href="([^"]+after=[^"]+)"/.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const second = (await get(url, more, cookie)).text
  t.match(second, /zed100.*zed149/s)
  t.notMatch(second, 'zed099')
  t.match(await get(url, '/ops/mail/suppressions?after=nonsense', cookie), { status: 200 })
})

t.test('the pages in a browser', { skip: existsSync(chromiumPath) ? false : 'no chromium' }, async (t) => {
  const { page, errors } = await watchedPage(await startBrowser(t))
  const [name = '', value = ''] = cookie.split('=')
  await page.context().addCookies([{ name, value, url: `${url}/ops` }])
  const wide = () => page.evaluate('document.documentElement.scrollWidth > innerWidth')
  for (const [path, picture] of [
    ['/ops/mail', 'mail'],
    [`/ops/mail/messages/${sent.id}`, 'mail-message'],
    ['/ops/mail/suppressions', 'mail-suppressions'],
  ]) {
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.goto(url + path)
    await keepPicture(page, `${picture}.png`)
    await page.setViewportSize({ width: 390, height: 844 })
    t.notOk(await wide(), `${path} fits a phone`)
    await keepPicture(page, `${picture}-phone.png`)
  }
  t.strictSame(errors, [])
})
