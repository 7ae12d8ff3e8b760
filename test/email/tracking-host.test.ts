import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chromium } from 'playwright-core'
import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { createDns, LookupFailedError } from '#lib/network/dns.ts'
import { sql } from '#sql/db.ts'
import * as contents from '#sql/email/contents.ts'
import { findSender } from '#sql/email/delivery/senders.ts'
import * as messages from '#sql/email/messages.ts'
import { trackingTarget } from '#tasks/email/rules/domains/records.ts'
import { trackHtml } from '#tasks/email/rules/tracking/track-html.ts'
import { lookups } from '../../ingress/email/services.ts'
import { engagementRecorder } from '../../ingress/email/tracking/recorder.ts'
import { provide } from '../../ingress/http/container.ts'
import { listenTls } from '../../ingress/video/domains/tls.ts'
import { chromiumArguments, lightPath } from '../support/browser.ts'
import { testOrg } from '../support/ingress.ts'
import { addDomain } from '../support/mail-stack.ts'
import { startPebble } from '../support/pebble.ts'
import { until } from '../support/until.ts'
import { signingSecret, videoStack } from '../support/video-stack.ts'

t.setTimeout(240_000)
const stack = await videoStack(t, { areas: ['service', 'email'] })
const { db } = stack
const pebble = await startPebble(t, Number(new URL(stack.ingress.url).port))
/** CNAME records by name. An error stands for name servers that do not respond. */
const aliases = new Map<string, string | Error>()
const zone = () => ({
  texts: async () => [],
  mailServers: async () => [],
  async alias(name: string) {
    const found = aliases.get(name) ?? null
    if (found instanceof Error) throw found
    return found
  },
})
/** IP addresses by name. */
const places = new Map<string, string[]>()
const resolver = { ...createDns([pebble.dns]), addresses: async (name: string) => places.get(name) ?? [] }
const ingress = await stack.another(db, { services: [provide(lookups, { zone, resolver })] })
const tls = await listenTls(ingress.app, '127.0.0.1', 0)
t.teardown(() => tls.close(0))
await stack.startWorkers(pebble.environment, 'core')

const scopes = ['email:send', 'email:manage', 'stream:read', 'stream:write']
const [one, two] = await Promise.all([testOrg(db, scopes), testOrg(db, scopes)])
const domain = await addDomain(db, one.org.id, 'shop.example')
await addDomain(db, two.org.id, 'shop.example')
const host = 'links.shop.example'
const ask = (request: string, body?: unknown, key = one.keys.main) =>
  ingress.ask(request, { key, ...(body !== undefined && { body }) })
const verify = async (key?: string) => (await ask('POST /send/v1/domains/shop.example/verify', {}, key)).body
const settings = { track_opens: true, track_clicks: true, tracking_host: host }
const stateOf = ({ records }: { records: { kind: string; state: string; found: string | null }[] }) =>
  records.find(({ kind }) => kind === 'tracking_host')
const isReady = async (id: string) => (await findSender(db, id))?.tracking_ready

t.test('a host of links is proven by its record, and nothing is tracked until it has a certificate', async (t) => {
  t.match((await ask('PATCH /send/v1/domains/shop.example', settings)).body, {
    tracking_host: host,
    tracking: { state: 'pending', message: /Publish the DNS record/ },
  })
  t.equal(await isReady(domain.domainId), false)
  t.match(stateOf(await verify()), { state: 'missing' })
  aliases.set(host, 'elsewhere.example')
  t.match(stateOf(await verify()), { state: 'different', found: 'elsewhere.example' })
  aliases.set(host, new LookupFailedError('The name servers did not respond.'))
  t.match(stateOf(await verify()), { state: 'unknown' })
  aliases.delete(host)
  places.set(host, ['192.0.2.1'])
  t.match(stateOf(await verify()), { state: 'different', found: '192.0.2.1' })
  places.set(host, [trackingTarget()])
  t.match(stateOf(await verify()), { state: 'found' })
  const active = await until(
    async () => {
      const { body } = await ask('GET /send/v1/domains/shop.example')
      return body.tracking.state === 'active' && body
    },
    { what: 'the certificate is issued' },
  )
  t.match(active.tracking, { state: 'active', message: null })
  t.equal(await isReady(domain.domainId), true)
})

t.test('another organisation cannot have the host, and no playback domain is made of it', async (t) => {
  await ask('PATCH /send/v1/domains/shop.example', settings, two.keys.main)
  t.match(stateOf(await verify(two.keys.main)), { state: 'different', found: /Another organisation/ })
  const { body } = await ask('GET /send/v1/domains/shop.example', undefined, two.keys.main)
  t.equal(body.tracking.state, 'pending')
  t.same((await ask('GET /v1/stream/domains')).body.data, [])
  const again = await ask('POST /v1/stream/domains', { hostname: host })
  t.match([again.status, again.body.error.code], [409, 'domain_exists'])
  const id = await db.oneFirst(sql.type(z.object({ id: z.string() }))`
    select id from video.domains where org_id = ${one.org.id}`)
  t.equal((await ask(`GET /v1/stream/domains/${id}`)).status, 404)
  t.equal((await ask(`DELETE /v1/stream/domains/${id}`)).status, 404)
  await ask('POST /v1/stream/domains', { hostname: 'video.shop.example' })
  const taken = await ask('PATCH /send/v1/domains/shop.example', { tracking_host: 'video.shop.example' })
  t.match([taken.status, taken.body.error.code], [409, 'tracking_host_exists'])
  t.equal((await ask('GET /send/v1/domains/shop.example')).body.tracking_host, host, 'nothing has changed')
})

async function addMessage(): Promise<string> {
  const [id, content_id] = [newId(), newId()]
  const content = { id: content_id, html: 'x', text: 'x', reply_to: null, headers: {}, attachments: [] }
  await contents.insertMany(db, [{ ...content, org_id: one.org.id }])
  const nothing = {
    key_id: null,
    from_name: null,
    campaign_id: null,
    contact_id: null,
    template_id: null,
    reason: null,
  }
  const row = { id, org_id: one.org.id, sandbox: false, stream: 'transactional' as const, domain_id: domain.domainId }
  const mail = { from_email: 'a@shop.example', to_email: 'b@rcpt.example', subject: 'x', message_id: `${id}@x` }
  await messages.insertMany(db, [{ ...nothing, ...row, ...mail, content_id, status: 'delivered' }])
  await db.query(sql.typeAlias('void')`
    update email.messages set delivered_at = now() - interval '1 hour' where id = ${id}`)
  return id
}

const skip = existsSync(lightPath) ? false : `${lightPath} is missing: apt-get install chromium`

t.test('a reader in Chromium opens the email and follows its link over HTTPS', { skip }, async (t) => {
  const shop = createServer((_, response) => response.end('<h1>The shop</h1>')).listen(0, '127.0.0.1')
  t.teardown(() => shop.close())
  await until(() => shop.listening)
  const target = `http://127.0.0.1:${(shop.address() as AddressInfo).port}/order?a=1&b=2`
  const messageId = await addMessage()
  const place = { messageId, domainId: domain.domainId, host, origin: ingress.url }
  const html = `<p>Your order</p><a href="${target.replace('&', '&amp;')}">Show order</a>`
  const email = trackHtml(html, { place, opens: true, clicks: true }, signingSecret)
  const args = [...chromiumArguments, `--host-resolver-rules=MAP ${host}:443 127.0.0.1:${tls.port}`]
  const browser = await chromium.launch({ executablePath: lightPath, args })
  t.teardown(() => browser.close())
  const userAgent =
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
  const context = await browser.newContext({ ignoreHTTPSErrors: true, userAgent })
  const page = await context.newPage()
  const image = page.waitForResponse((response) => response.url().includes('/o/'))
  await page.setContent(email)
  t.equal((await image).status(), 200)
  t.equal(await page.evaluate('document.images[0].naturalWidth'), 1, 'the image is one that the browser shows')
  await page.click('a')
  await page.waitForURL(target)
  t.match(await page.textContent('h1'), 'The shop')
  const forged = await page.goto(`https://${host}/c/eyJ.x`)
  t.equal(forged?.status(), 404)
  t.match(await page.textContent('h1'), 'This link does not work')
  t.equal((await page.goto(`https://${host}/app`))?.status(), 404, 'no other page is on the host')
  await ingress.app.services(engagementRecorder).flush()
  const { body } = await ask(`GET /send/v1/messages/${messageId}`)
  t.match(body.engagement, { opens: { count: 1 }, clicks: { count: 1 }, links: [{ url: target, count: 1 }] })
})

t.test('a host that is removed is no longer served', async (t) => {
  const removed = await ask('PATCH /send/v1/domains/shop.example', { tracking_host: null })
  t.match(removed.body, { tracking_host: null, tracking: { state: 'active' } })
  t.equal(await isReady(domain.domainId), true)
  const owned = () =>
    db.oneFirst(
      sql.typeAlias('count')`select count(*) from video.domains where org_id = ${one.org.id} and purpose = 'links'`,
    )
  t.equal(await owned(), 0)
  await ask('PATCH /send/v1/domains/shop.example', settings)
  t.equal(await owned(), 1)
  await ask('DELETE /send/v1/domains/shop.example')
  t.equal(await owned(), 0)
})
