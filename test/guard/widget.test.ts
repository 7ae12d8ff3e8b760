import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import t from 'tap'
import { sql } from '#sql/db.ts'
import { signIn } from '../console/fixture.ts'
import { chromiumPath, keepPicture, startBrowser, watchedPage } from '../support/browser.ts'
import { testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { guardStack } from './stack.ts'

t.setTimeout(240_000)
const skip = existsSync(chromiumPath) ? false : 'Chromium is not installed'

const stack = await guardStack(t)
const { url } = stack.ingress
const site = await stack.site({ max_tier: 'low' })
await stack.ask(`PATCH /v1/guard/sites/${site.id}`, { body: { origins: [url] } })
const demo = (more = '') => `${url}/v1/guard/demo?sitekey=${site.key}${more}`

const browser = skip ? undefined : await startBrowser(t)
const open = async (address: string) => {
  if (!browser) throw new Error('There is no browser.')
  const watched = await watchedPage(browser)
  await watched.page.goto(address)
  return watched
}
const stateOf = (page: Page) => page.evaluate(`document.querySelector('mill-guard').state`)
const comesTo = (page: Page, state: string) =>
  until(async () => (await stateOf(page)) === state, { what: state, timeout: 60_000 })
const text = (page: Page, selector: string) => page.locator(selector).textContent()

t.test('a page that a site does not name is told why, by an event and in the console', { skip }, async (t) => {
  const other = await stack.site({ max_tier: 'low' })
  await stack.ask(`PATCH /v1/guard/sites/${other.id}`, { body: { origins: ['https://shop.example'] } })
  const { page, errors } = await open(demo())
  await page.evaluate(`document.querySelector('mill-guard').setAttribute('sitekey', ${JSON.stringify(other.key)})`)
  const told = page.evaluate(
    `new Promise((told) => addEventListener('error', ({ detail }) => detail && told(detail)))`,
  ) as Promise<{ code: string; message: string }>
  await page.locator('mill-guard button').click()
  t.same(await told, { code: 'forbidden', message: `This API key cannot be used on ${url}.` })
  const logged = `mill-guard: forbidden: This API key cannot be used on ${url}. `
  t.ok(
    errors.some((line) => line.startsWith(logged)),
    errors.join(),
  )
  await page.close()
})

t.test('a page asks for one file, and for what solves only when somebody does', { skip }, async (t) => {
  if (!browser) return
  await stack.stock(1)
  const { page, errors } = await watchedPage(browser)
  const asked: string[] = []
  page.on('request', (request) => request.resourceType() === 'script' && asked.push(new URL(request.url()).pathname))
  await page.goto(demo())
  await until(async () => (await stateOf(page)) === 'start', { what: 'the widget is there' })
  t.strictSame(
    asked.filter((path) => path.startsWith('/v1/guard/') && !path.includes('demo')),
    ['/v1/guard/widget.js'],
  )
  await page.locator('mill-guard button').click()
  await comesTo(page, 'done')
  t.strictSame(errors, [])
  await page.close()
})

t.test(
  'by mouse: a form is held back without its check, sent with it, and refused with the same token',
  { skip },
  async (t) => {
    await stack.stock(1)
    const { page, hosts, errors } = await open(demo('&lang=en'))
    await page.locator('#name').fill('Ann')
    await page.locator('#send').click()
    t.equal(await page.evaluate('document.forms[0].checkValidity()'), false)
    t.equal(
      await page.evaluate('document.activeElement.localName'),
      'mill-guard',
      'it is where the form wants something',
    )
    await keepPicture(page, 'guard-start.png')
    await page.locator('mill-guard button').click()
    await comesTo(page, 'done')
    t.equal(await text(page, 'mill-guard [role=status]'), 'Security check passed')
    await keepPicture(page, 'guard-done.png')
    await page.locator('#send').click()
    await page.waitForURL(/demo$/)
    t.match(await text(page, '#outcome'), 'Thank you, Ann.')
    t.equal(await text(page, '#tier'), 'low')
    await keepPicture(page, 'guard-sent.png')
    await page.reload()
    t.equal(await text(page, '#reason'), 'replayed')
    t.same([...hosts], [new URL(url).host], 'no other host is asked')
    t.same(errors, [])
  },
)

t.test('by keyboard alone', { skip }, async (t) => {
  await stack.stock(1)
  const { page, errors } = await open(demo('&lang=de'))
  const type = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  await type('Tab', 'B', 'e', 'n', 'Tab', 'Tab')
  t.equal(await page.evaluate('document.activeElement.localName'), 'mill-guard')
  await type('Space')
  await comesTo(page, 'done')
  t.equal(await page.evaluate('document.activeElement.localName'), 'mill-guard', 'the focus stays')
  t.equal(await text(page, 'mill-guard [role=status]'), 'Sicherheitsprüfung bestanden')
  await type('Tab', 'Enter')
  await page.waitForURL(/demo$/)
  t.match(await text(page, '#outcome'), 'Thank you, Ben.')
  t.same(errors, [])
})

t.test('in two tabs at once, one of them slowed down four times', { skip }, async (t) => {
  await stack.stock(2)
  const tabs = await Promise.all([open(demo()), open(demo('&auto=onsubmit'))])
  const [first, second] = tabs.map(({ page }) => page) as [Page, Page]
  const session = await second.context().newCDPSession(second)
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  await first.locator('#name').fill('One')
  await second.locator('#name').fill('Two')
  await first.locator('mill-guard button').click()
  // Sent by its button at once: the widget holds it back until it has a token.
  await second.locator('#send').click()
  await comesTo(first, 'done')
  await first.locator('#send').click()
  await Promise.all([first, second].map((page) => page.waitForURL(/demo$/)))
  t.match(await text(first, '#outcome'), 'Thank you, One.')
  t.match(await text(second, '#outcome'), 'Thank you, Two.')
  t.same(
    tabs.flatMap(({ errors }) => errors),
    [],
  )
})

/** Serves a customer's page on an origin of its own, under a policy. */
async function customersPage(t: { teardown(end: () => unknown): unknown }, policy: string): Promise<string> {
  const own = await stack.site({ max_tier: 'low' })
  const body = `<!doctype html><html lang="pl"><title>x</title><link rel="icon" href="data:,"><form><mill-guard sitekey="${own.key}" action="signup"></mill-guard></form>
<script type="module" src="${url}/v1/guard/widget.js"></script>`
  const server = createServer((_, res) => {
    res.setHeader('content-type', 'text/html; charset=utf-8')
    res.setHeader('content-security-policy', `default-src 'none'; img-src data:; ${policy}`)
    res.end(body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await stack.ask(`PATCH /v1/guard/sites/${own.id}`, { body: { origins: [origin] } })
  return origin
}

t.test(
  'on a page of another origin, under policies that allow workers, forbid WebAssembly, or forbid workers',
  { skip },
  async (t) => {
    await stack.stock(3)
    const policies = [
      `script-src ${url} 'wasm-unsafe-eval'; connect-src ${url}; worker-src blob:; require-trusted-types-for 'script'; trusted-types mill-guard`,
      `script-src ${url}; connect-src ${url}; worker-src blob:`,
      `script-src ${url}; connect-src ${url}; worker-src 'none'`,
    ]
    for (const policy of policies) {
      const { page } = await open(await customersPage(t, policy))
      await page.locator('mill-guard button').click()
      await comesTo(page, 'done')
      const token = String(await page.evaluate(`new FormData(document.forms[0]).get('mill-guard-token')`))
      t.match((await stack.verify(token)).body, { valid: true, hostname: '127.0.0.1' }, policy)
      t.equal(await text(page, 'mill-guard [role=status]'), 'Kontrola zakończona pomyślnie')
      await page.close()
    }
  },
)

t.test(
  'a token is renewed before its end and when the page comes back; a form’s reset and an end forget it',
  { skip },
  async (t) => {
    await stack.stock(3)
    const { page, errors } = await open(demo('&lang=en'))
    const value = () => page.evaluate(`document.querySelector('mill-guard').value`)
    await page.evaluate(`globalThis.told = []; for (const type of ['solve', 'expire', 'error', 'reset'])
    document.addEventListener(type, (event) => told.push(event.type), true)`)
    await page.locator('mill-guard button').click()
    await comesTo(page, 'done')
    const first = await value()
    // Twenty seconds before its end, as this page's clock has it.
    await page.evaluate(
      `Date.now = ((now) => () => now() + 280_000)(Date.now.bind(Date)); dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`,
    )
    t.equal(await stateOf(page), 'done', 'the old one is good meanwhile')
    await until(async () => (await value()) !== first, { what: 'a new token' })
    await page.evaluate(
      `Date.now = ((now) => () => now() + 400_000)(Date.now.bind(Date)); dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`,
    )
    t.equal(await stateOf(page), 'expired')
    t.equal(await value(), '')
    await page.locator('mill-guard button').click()
    await comesTo(page, 'done')
    await page.evaluate('document.forms[0].reset()')
    t.same([await stateOf(page), await value()], ['start', ''])
    t.same(await page.evaluate('told'), ['solve', 'solve', 'expire', 'solve', 'reset', 'reset'])
    t.same(errors, [])
  },
)

t.test('who is refused is told, and may not try again; a failure may be tried again', { skip }, async (t) => {
  await stack.stock(1)
  const { page } = await open(demo('&lang=en'))
  const answer = (status: number, body: unknown) => ({
    status,
    contentType: 'application/json',
    body: JSON.stringify(body),
  })
  await page.route('**/v1/guard/challenges', (route) =>
    route.fulfill(answer(503, { error: { code: 'server_error', message: 'Away.' } })),
  )
  await page.locator('mill-guard button').click()
  await comesTo(page, 'failed')
  t.equal(await text(page, 'mill-guard [role=status]'), 'The check failed. Try again')
  await page.unroute('**/v1/guard/challenges')
  await page.locator('mill-guard button').click()
  await comesTo(page, 'done')
  await page.evaluate(`document.querySelector('mill-guard').reset()`)
  await page.route('**/v1/guard/assess', (route) =>
    route.fulfill(answer(200, { decision: 'deny', reasons: [{ detail: 'No.' }] })),
  )
  await page.locator('mill-guard button').click()
  await comesTo(page, 'denied')
  t.equal(await page.locator('mill-guard button').getAttribute('aria-disabled'), 'true')
})

t.test('without script the form is sent with the token of the page that waits', { skip }, async (t) => {
  const context = await browser?.newContext({ javaScriptEnabled: false })
  const page = await context?.newPage()
  if (!page) return
  await page.goto(demo())
  await page.getByRole('link', { name: 'Pass the check without JavaScript' }).click()
  t.match(await text(page, '[role=status]'), /This check takes 10 seconds/)
  await keepPicture(page, 'guard-noscript.png')
})

t.test('the console shows how long it took to solve', { skip }, async (t) => {
  const { keys, org } = await testOrg(stack.db, ['operator'])
  const [name = '', value = ''] = (await signIn({ db: stack.db, url, key: keys.main, orgId: org.id })).split('=')
  // What a week of visitors leaves.
  await stack.db.query(sql.typeAlias('void')`
    insert into guard.hourly (site_id, hour, tier, outcome, bucket, count)
    select ${site.id}, date_trunc('hour', now()) - h * interval '1 hour', tier, outcome, bucket, count * (1 + h % 5)
    from generate_series(30, 160) as h, (values ('normal', 'issued', 0, 60), ('normal', 'solved', 8, 4), ('normal', 'solved', 9, 30),
      ('normal', 'solved', 10, 14), ('normal', 'solved', 11, 3), ('normal', 'failed', 0, 1), ('normal', 'verified', 0, 50),
      ('normal', 'replayed', 0, 1)) as c (tier, outcome, bucket, count)`)
  const { page, errors } = await watchedPage(browser as NonNullable<typeof browser>)
  await page.context().addCookies([{ name, value, url }])
  await page.goto(`${url}/ops/guard?span=7d`)
  t.match(await page.locator('tbody tr').first().textContent(), /Shop.*23,/s)
  await keepPicture(page, 'console-guard.png')
  await page.goto(`${url}/ops/guard/sites/${site.id}?span=7d`)
  t.match(await page.locator('.bars').getAttribute('aria-label'), /256 ms – 512 ms: [\d,]+; 512 ms – /)
  await keepPicture(page, 'console-guard-site.png')
  t.same(errors, [])
})
