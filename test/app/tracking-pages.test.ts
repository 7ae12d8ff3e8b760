import { existsSync } from 'node:fs'
import axe from 'axe-core'
import t from 'tap'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import * as contents from '#sql/email/contents.ts'
import * as domains from '#sql/email/domains.ts'
import * as messages from '#sql/email/messages.ts'
import { readDmarc } from '#tasks/email/rules/aggregate/dmarc.ts'
import { recordReport } from '#tasks/email/rules/aggregate/record-report.ts'
import { readTls } from '#tasks/email/rules/aggregate/tls.ts'
import { recordEngagements } from '#tasks/email/rules/tracking/record-engagements.ts'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { dmarcXml, tlsJson } from '../email/report-fixture.ts'
import { verified } from '../email/sending.ts'
import { chromiumPath, startBrowser } from '../support/browser.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { browserCookie, get, signedIn, submit } from './fixture.ts'

t.setTimeout(240_000)
const { db } = await testDatabase(t)
const secret = provide(signingSecret, 'a secret of this test, long enough to sign')
const { url } = await testIngress(t, db, [], { only: ['app', 'account', 'email'], services: [secret] })
const { org } = await testOrg(db, [])
const developer = await signedIn(db, url, org.id, 'developer')
const viewer = await signedIn(db, url, org.id, 'viewer')
await verified(db, org.id, 'sender.example')
const domain = (await domains.find(db, org.id, 'sender.example')) as domains.EmailDomain
const path = '/app/domains/sender.example'

t.test('a member turns tracking on and off, and sees faults at their fields', async (t) => {
  t.match((await get(url, path, viewer)).text, /Tracking.*off/s)
  t.notMatch((await get(url, path, viewer)).text, 'Change tracking')
  t.equal((await submit(url, `${path}/tracking`, viewer, { track: 'opens' })).status, 403)
  const faulty = await submit(url, `${path}/tracking`, developer, {
    track: 'opens',
    tracking_host: 'links.other.example',
  })
  t.equal(faulty.status, 400)
  t.match(faulty.text, /id="tracking_host-fault">must be a host below the domain/)
  const saved = await submit(url, `${path}/tracking`, developer, {
    track: ['opens', 'clicks'],
    tracking_host: ' links.sender.example ',
  })
  t.equal(saved.headers.get('location'), path)
  const page = await get(url, path, developer)
  t.match(page.text, /waiting for the host of links \(opens and clicks\)/)
  t.match(page.text, 'links.sender.example')
  t.match((await get(url, `${path}/tracking`, developer)).text, /value="opens" checked/)
  t.equal((await submit(url, `${path}/tracking`, developer, { track: 'opens' })).status, 303)
  t.match(await domains.find(db, org.id, 'sender.example'), {
    track_opens: true,
    track_clicks: false,
    tracking_host: null,
  })
})

t.test('the page of a domain shows its reports', async (t) => {
  t.match((await get(url, `${path}/reports`, viewer)).text, /No DMARC reports yet.*reports\+[0-9a-f]{32}@/s)
  const rows = [{ count: 900 }, { ip: '203.0.113.7', count: 100, dkim: 'fail' as const, spf: 'fail' as const }]
  await db.transaction(async (tx) => {
    await recordReport(
      tx,
      domain,
      'dmarc@mailbox.example',
      readDmarc(dmarcXml({ rows, reporter: '<b>Mailbox</b>'.replaceAll('<', '&lt;') })),
    )
    await recordReport(tx, domain, 'tls@mailbox.example', readTls(tlsJson()))
  })
  const { text } = await get(url, `${path}/reports`, viewer)
  t.match(text, /203\.0\.113\.7.*certificate-expired/s)
  t.match(text, '90 %')
  t.match(text, '&lt;b&gt;Mailbox')
  t.equal(
    (await get(url, `${path}/reports`, await signedIn(db, url, (await testOrg(db, [])).org.id, 'viewer'))).status,
    404,
  )
})

const messageId = newId()

t.test('the page of a message shows its opens, clicks and links', async (t) => {
  const content_id = newId()
  const content = { id: content_id, html: '<p>x</p>', text: 'x', reply_to: null, headers: {}, attachments: [] }
  await contents.insertMany(db, [{ ...content, org_id: org.id }])
  const nothing = {
    key_id: null,
    from_name: null,
    campaign_id: null,
    contact_id: null,
    template_id: null,
    reason: null,
  }
  const mail = { from_email: 'a@sender.example', to_email: 'b@rcpt.example', subject: 'Order', message_id: 'x@x' }
  const row = { id: messageId, org_id: org.id, sandbox: false, domain_id: domain.id, content_id }
  await messages.insertMany(db, [
    { ...nothing, ...mail, ...row, stream: 'transactional' as const, status: 'delivered' as const },
  ])
  await db.query(sql.typeAlias('void')`update email.messages set delivered_at = now() - interval '1 hour'`)
  t.notMatch((await get(url, `/app/mail/${messageId}`, viewer)).text, 'Opens and clicks')
  const at = new Date().toISOString()
  const one = {
    message_id: messageId,
    machine: false,
    reason: null,
    count: 2,
    first_at: at,
    last_at: at,
    user_agent: null,
  }
  await db.transaction((tx) =>
    recordEngagements(tx, [
      { ...one, kind: 'open', url: '' },
      { ...one, kind: 'click', url: 'https://sender.example/?a="><script>' },
      { ...one, kind: 'open', url: '', machine: true, reason: 'client' },
    ]),
  )
  const { text } = await get(url, `/app/mail/${messageId}`, viewer)
  t.match(text, /Opens and clicks.*2 opens, first .*2 by machines.*2 clicks/s)
  t.match(text, 'https://sender.example/?a=&quot;&gt;&lt;script&gt;')
  await db.query(sql.typeAlias('void')`
    insert into email.daily (org_id, day, stream, accepted) values (${org.id}, now()::date, 'transactional', 1)`)
  t.match((await get(url, '/app/mail', viewer)).text, 'Readers by day')
})

const skip = existsSync(chromiumPath) ? false : `${chromiumPath} is missing: apt-get install chromium`

t.test('the pages are for everybody, on a desk and on a phone, in light and in dark', { skip }, async (t) => {
  const context = await (await startBrowser(t)).newContext({ bypassCSP: true })
  await context.addCookies([browserCookie(url, developer)])
  const page = await context.newPage()
  const options = JSON.stringify({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] })
  for (const shown of [path, `${path}/tracking`, `${path}/reports`, `/app/mail/${messageId}`]) {
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [390, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 844 })
      await page.emulateMedia({ colorScheme })
      t.equal((await page.goto(url + shown))?.status(), 200)
      await page.evaluate(axe.source)
      const faults = await page.evaluate(
        `axe.run(document, ${options}).then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`,
      )
      t.same(faults, [], `${shown} at ${width}`)
      t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${shown}: nothing is wider`)
    }
  }
})
