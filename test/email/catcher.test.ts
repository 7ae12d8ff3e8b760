import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { dkimSign } from 'mailauth/lib/dkim/sign.js'
import nodemailer from 'nodemailer'
import t, { type Test } from 'tap'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import * as domains from '#sql/email/domains.ts'
import { type MailCatcherOptions, startMailCatcher } from '../../ops/embedded/mail-catcher/server.ts'
import { chromiumPath, keepPicture, startBrowser, watchedPage } from '../support/browser.ts'
import { testDatabase } from '../support/database.ts'
import { testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'

t.setTimeout(240_000)
const bounds = { messages: 1_000, bytes: 64 * 1024 ** 2 }

async function start(t: Test, options: Partial<MailCatcherOptions> = {}) {
  const catcher = await startMailCatcher({
    host: '127.0.0.1',
    dir: options.dir ?? t.testdir(),
    smtpPort: 0,
    httpPort: 0,
    bounds,
    databaseUrl: undefined,
    ...options,
  })
  const post = nodemailer.createTransport({ host: '127.0.0.1', port: catcher.smtpPort, secure: false })
  t.teardown(async () => {
    post.close()
    await catcher.close()
  })
  // biome-ignore lint/suspicious/noExplicitAny: tests look into every field.
  const json = async (path: string): Promise<any> => await (await fetch(catcher.url + path)).json()
  const newest = async () => (await json('/messages.json')).messages[0]
  return { ...catcher, post, json, newest }
}

const hello = { from: 'Shop <shop@sender.example>', to: 'Ada <ada@rcpt.example>', subject: 'Grüße', text: 'Hello' }

t.test('a message is kept as it came, and shown to programs and people', async (t) => {
  const { post, json, url, newest } = await start(t)
  await post.sendMail({
    ...hello,
    html: '<p>Hello <img src="cid:dot"></p>',
    attachments: [
      { filename: 'ré"port.txt', content: 'figures' },
      { filename: 'dot.png', content: Buffer.from([0x89, 0x50, 0x4e, 0x47]), cid: 'dot' },
    ],
    envelope: { from: 'b+x.y@bounce.sender.example', to: ['ada@rcpt.example', 'hidden@rcpt.example'] },
  })
  const caught = await newest()
  t.match(caught, {
    subject: 'Grüße',
    envelope: { mail_from: 'b+x.y@bounce.sender.example', rcpt_to: ['ada@rcpt.example', 'hidden@rcpt.example'] },
  })
  const whole = await json(`/messages/${caught.id}.json`)
  t.match(whole, {
    text: 'Hello',
    attachments: [
      { content_id: 'dot', inline: true },
      { filename: 'ré"port.txt', bytes: 7 },
    ],
  })
  t.match(whole.html, /<img src="data:image\/png;base64,/)
  t.match(whole.authentication, { dkim: [], spf: { result: 'none' }, dmarc: { result: 'fail' } })
  const source = await (await fetch(`${url}/messages/${caught.id}.eml`)).text()
  t.equal(source.length, caught.bytes)
  t.match(source, /^From: Shop <shop@sender\.example>\r\n/)
  const file = await fetch(`${url}/messages/${caught.id}/attachments/1`)
  t.equal(await file.text(), 'figures')
  t.match(file.headers.get('content-disposition'), /^attachment; filename="r__port\.txt"/)
  t.same((await json('/messages.json?q=GR%C3%9CSSE')).messages, [])
  t.equal((await json('/messages.json?q=gr%C3%BC+ada@')).messages.length, 1)
  t.equal((await fetch(`${url}/messages/${newId()}`)).status, 404)
})

t.test('signatures are verified by the keys in the database', async (t) => {
  const { db, url: databaseUrl } = await testDatabase(t)
  const { post, json, newest } = await start(t, { databaseUrl })
  const { org } = await testOrg(db)
  const domain = newId()
  await db.query(
    sql.typeAlias(
      'void',
    )`${domains.table.insert({ id: domain, org_id: org.id, domain: 'sender.example', return_path: 'bounce.sender.example' })}`,
  )
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const ed = generateKeyPairSync('ed25519')
  const keys = [
    {
      selector: 's1',
      algorithm: 'rsa-sha256' as const,
      pair: rsa,
      public_key: rsa.publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
    },
    {
      selector: 's2',
      algorithm: 'ed25519-sha256' as const,
      pair: ed,
      public_key: ed.publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64'),
    },
  ]
  for (const { selector, algorithm, public_key } of keys)
    await db.query(
      sql.typeAlias(
        'void',
      )`${domains.keyTable.insert({ id: newId(), org_id: org.id, domain_id: domain, selector, algorithm, private_key: '', public_key })}`,
    )
  const raw =
    'From: shop@sender.example\r\nTo: ada@rcpt.example\r\nSubject: Order\r\nDate: Sun, 22 Nov 2026 10:00:00 +0000\r\n\r\nHello\r\n'
  const signatureData = keys.map(({ selector, algorithm, pair }) => ({
    signingDomain: 'sender.example',
    selector,
    algorithm,
    privateKey: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }),
  }))
  const { signatures } = await dkimSign(raw, { signatureData } as Parameters<typeof dkimSign>[1])
  const envelope = { from: 'shop@sender.example', to: 'ada@rcpt.example' }
  await post.sendMail({ envelope, raw: signatures + raw })
  const { authentication } = await json(`/messages/${(await newest()).id}.json`)
  t.match(
    authentication.dkim.map(({ algorithm, result, aligned }: Record<string, unknown>) => ({
      algorithm,
      result,
      aligned,
    })),
    keys.map(({ algorithm }) => ({ algorithm, result: 'pass', aligned: true })),
  )
  t.match(authentication.dmarc, { result: 'pass' })
  await post.sendMail({ envelope, raw: signatures + raw.replace('Hello', 'Hallo') })
  const changed = (await json(`/messages/${(await newest()).id}.json`)).authentication
  t.match(changed.dkim, [{ result: 'neutral', comment: /body hash/ }, { result: 'neutral' }])
  t.match(changed.dmarc, { result: 'fail' })
})

t.test('messages outlive a restart, what a kill has left does not; the oldest go first', async (t) => {
  const dir = t.testdir()
  const first = await start(t, { dir, bounds: { messages: 3, bytes: 10_000 } })
  for (let i = 1; i <= 5; i++) await first.post.sendMail({ ...hello, subject: `Number ${i}` })
  const before = await first.json('/messages.json')
  t.same(
    before.messages.map(({ subject }: { subject: string }) => subject),
    ['Number 5', 'Number 4', 'Number 3'],
  )
  await first.close().catch(() => {})
  await writeFile(join(dir, `${newId()}.eml`), 'half')
  await writeFile(join(dir, `${newId()}.json`), '{')
  const second = await start(t, { dir, bounds: { messages: 3, bytes: 10_000 } })
  t.same(await second.json('/messages.json'), before)
  await second.post.sendMail({ ...hello, text: 'x'.repeat(9_300) })
  t.equal((await second.json('/messages.json')).messages.length, 1, 'bytes are bounded, too')
})

t.test('a page elsewhere can neither read nor delete, and what a message says cannot act', async (t) => {
  const { post, url, newest, json } = await start(t)
  await post.sendMail({
    ...hello,
    subject: '<script>alert(1)</script>',
    html: '<script>alert(1)</script><form action="/messages" method="post"></form>',
  })
  const { id } = await newest()
  t.notMatch(await (await fetch(url)).text(), '<script>alert')
  t.notMatch(await (await fetch(`${url}/messages/${id}`)).text(), '<script>alert')
  const shown = await fetch(`${url}/messages/${id}/html`)
  t.match(
    shown.headers.get('content-security-policy'),
    /^sandbox allow-popups .*default-src 'none'.*form-action 'none'/,
  )
  t.notMatch(shown.headers.get('content-security-policy'), /script|https:/)
  const from = (site: string) => ({ method: 'POST', redirect: 'manual' as const, headers: { 'sec-fetch-site': site } })
  t.equal((await fetch(`${url}/messages`, from('cross-site'))).status, 403)
  t.equal((await json('/messages.json')).messages.length, 1)
  t.equal((await fetch(`${url}/messages`, from('same-origin'))).status, 303)
  t.same((await json('/messages.json')).messages, [])
})

t.test('the pages in a browser', { skip: existsSync(chromiumPath) ? false : 'no chromium' }, async (t) => {
  const { post, url } = await start(t)
  let asked = 0
  const other = createServer((_, response) => void response.end(String(++asked))).listen(0, '127.0.0.1')
  await once(other, 'listening')
  t.teardown(() => void other.close())
  const elsewhere = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
  const browser = await startBrowser(t)
  const { page, errors } = await watchedPage(browser)
  await page.goto(url)
  await page.getByText('No messages yet').waitFor()
  const html = `<div style="font-family:sans-serif"><h1>Thank you, Ada</h1><p>Your order is on its way.</p><img src="${elsewhere}/x.gif"><script>document.title="acted"</script><a href="https://example.com">Follow it</a></div>`
  await post.sendMail({
    ...hello,
    subject: 'Your order is on its way',
    html,
    attachments: [{ filename: 'invoice.txt', content: 'x' }],
  })
  await post.sendMail({ ...hello, subject: 'Plain '.repeat(30) })
  await page.getByRole('link', { name: 'Your order is on its way' }).waitFor()
  await keepPicture(page, 'catcher-list.png')
  await page.emulateMedia({ colorScheme: 'dark' })
  await keepPicture(page, 'catcher-list-dark.png')
  await page.getByRole('link', { name: 'Your order is on its way' }).click()
  await page.frameLocator('iframe').getByText('Thank you, Ada').waitFor()
  await keepPicture(page, 'catcher-message-dark.png')
  await page.emulateMedia({ colorScheme: 'light' })
  await keepPicture(page, 'catcher-message.png')
  t.equal(asked, 0, 'nothing is fetched from elsewhere')
  await page.getByRole('link', { name: 'Load external images' }).click()
  await until(() => asked > 0, { what: 'a picture is fetched when that is wanted' })
  await page.setViewportSize({ width: 390, height: 844 })
  const wide = () => page.evaluate('document.documentElement.scrollWidth > innerWidth')
  t.notOk(await wide(), 'fits a phone')
  await keepPicture(page, 'catcher-message-phone.png')
  for (const name of ['Text', 'Headers', 'Source']) {
    await page.getByRole('link', { name, exact: true }).click()
    await page.locator(`[aria-current=page]:text("${name}")`).waitFor()
    t.notOk(await wide(), name)
  }
  await page.goto(url)
  await keepPicture(page, 'catcher-list-phone.png')
  t.notOk(await wide())
  page.on('dialog', (dialog) => void dialog.accept())
  await page.getByRole('button', { name: 'Delete all' }).click()
  await page.getByText('No messages yet').waitFor()
  t.same(
    errors.filter((error) => !/Content Security Policy|sandboxed|script execution/i.test(error)),
    [],
  )
  await until(async () => (await page.title()).startsWith('Messages'))
})
