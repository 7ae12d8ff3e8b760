import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { chromiumPath, startBrowser, watchedPage } from '../support/browser.ts'
import { testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { guardScopes, guardStack, type TestSite } from './stack.ts'

t.setTimeout(240_000)
const skip = existsSync(chromiumPath) ? false : 'Chromium is not installed'
const stack = await guardStack(t)
const { url } = stack.ingress
const site = await stack.site({ max_tier: 'low' })
const { secret } = (await stack.ask(`POST /v1/guard/sites/${site.id}/secret`)).body

async function token(of: TestSite = site, action = 'sign-up'): Promise<string> {
  await stack.stock(1)
  const { body } = await of.visit('challenges', { action })
  return (await of.visit(`challenges/${body.id}/complete`, { answer: stack.answer(body) })).body.token
}

const verify = async (fields: Record<string, string>) => {
  const reply = await fetch(`${url}/v1/guard/siteverify`, { method: 'POST', body: new URLSearchParams(fields) })
  t.equal(reply.status, 200)
  return (await reply.json()) as Record<string, unknown>
}

const refused = (...codes: string[]) => ({ success: false, 'error-codes': codes })

t.test('a token is accepted once, as a form and as JSON', async (t) => {
  const response = await token()
  t.match(await verify({ secret, response, remoteip: '203.0.113.9' }), {
    ...{ success: true, hostname: 'shop.example.com', action: 'sign-up', score: 0.9, 'error-codes': [] },
    challenge_ts: /^\d{4}-\d\d-\d\dT/,
  })
  t.same(await verify({ secret, response }), refused('timeout-or-duplicate'))
  const asJson = await stack.ask('POST /v1/guard/siteverify', {
    key: '',
    body: { secret, response: await token(), sitekey: 'x' },
  })
  t.match(asJson.body, { success: true })
  const read = await fetch(`${url}/v1/guard/siteverify?secret=${secret}&response=none`)
  t.match([read.status, read.headers.get('allow')], [405, /POST/])
  t.notMatch(await read.text(), secret)
})

t.test('wrong secrets, wrong tokens and tokens of other sites are refused', async (t) => {
  const other = await stack.site({ max_tier: 'low' })
  t.same(await verify({}), refused('missing-input-secret', 'missing-input-response'))
  t.same(await verify({ secret: 'none', response: 'none' }), refused('invalid-input-secret'))
  t.same(await verify({ secret: site.key, response: await token() }), refused('invalid-input-secret'), 'a public key')
  t.same(await verify({ secret, response: 'none' }), refused('invalid-input-response'))
  t.same(await verify({ secret, response: await token(other) }), refused('invalid-input-response'))
  const { keys } = await testOrg(stack.db, guardScopes)
  t.same(await verify({ secret: keys.main, response: await token() }), refused('invalid-input-response'))
  const late = await token()
  await stack.expire('tokens')
  t.same(await verify({ secret, response: late }), refused('timeout-or-duplicate'))
  const both = await token()
  const results = await Promise.all([1, 2, 3].map(() => verify({ secret, response: both })))
  t.equal(results.filter((result) => result.success).length, 1, 'requests at the same time use a token once')
})

t.test('a new secret replaces the old one, and the site key stays', async (t) => {
  const one = await stack.site({ max_tier: 'low' })
  await stack.ask(`PATCH /v1/guard/sites/${one.id}`, { body: { name: 'n'.repeat(200) } })
  const create = async () => (await stack.ask(`POST /v1/guard/sites/${one.id}/secret`)).body.secret
  const [first, second] = [await create(), await create()]
  t.same(await verify({ secret: first, response: await token(one) }), refused('invalid-input-secret'))
  t.match(await verify({ secret: second, response: await token(one) }), { success: true })
  await stack.ask(`POST /v1/guard/sites/${one.id}/rotate`)
  t.same(
    await verify({ secret: second, response: 'none' }),
    refused('invalid-input-response'),
    'rotating the site key keeps it',
  )
  t.equal((await stack.ask(`DELETE /v1/guard/sites/${one.id}`)).status, 200)
  t.same(await verify({ secret: second, response: 'none' }), refused('invalid-input-secret'))
})

t.test('the PHP client of reCAPTCHA verifies with a changed URL', async (t) => {
  const code = `require '/usr/share/php/ReCaptcha/autoload.php';
[, $url, $secret, $token] = $argv;
$client = new \\ReCaptcha\\ReCaptcha($secret, new \\ReCaptcha\\RequestMethod\\Post($url));
$client->setExpectedHostname('shop.example.com')->setExpectedAction('sign-up')->setScoreThreshold(0.5);
foreach ([1, 2] as $turn) { $r = $client->verify($token, '203.0.113.9'); echo json_encode([$r->isSuccess(), $r->getErrorCodes()]), "\\n"; }`
  const args = ['-r', code, '--', `${url}/v1/guard/siteverify`, secret, await token()]
  const { stdout } = await promisify(execFile)('php', args)
  t.equal(
    stdout,
    '[true,[]]\n[false,["timeout-or-duplicate","hostname-mismatch","action-mismatch","score-threshold-not-met"]]\n',
  )
})

const browser = skip ? undefined : await startBrowser(t)

async function opened(address: string) {
  if (!browser) throw new Error('There is no browser.')
  const watched = await watchedPage(browser)
  await watched.page.goto(address)
  return watched
}

t.test('a form of Flask-WTF works with the URL of Millrace', { skip }, async (t) => {
  await stack.stock(3)
  const script = fileURLToPath(new URL('./flask-form.py', import.meta.url))
  const child = spawn('/usr/bin/python3', [script, url, site.key, secret], { stdio: ['ignore', 'pipe', 'ignore'] })
  t.teardown(() => void child.kill('SIGKILL'))
  const [port] = await once(child.stdout, 'data')
  const origin = `http://127.0.0.1:${String(port).trim()}`
  await stack.ask(`PATCH /v1/guard/sites/${site.id}`, { body: { origins: [origin] } })
  const { page, errors } = await opened(origin)
  await page.locator('input[name=name]').fill('Ann')
  await until(async () => (await page.title()) === 'Solved', { what: 'the callback runs', timeout: 60_000 })
  await page.locator('#send').click()
  await page.locator('#outcome').filter({ hasText: 'accepted Ann' }).waitFor({ timeout: 30_000 })
  t.same(errors, [])
  await page.close()
})

t.test('the markup and the functions of Turnstile, hCaptcha and reCAPTCHA v3', { skip }, async (t) => {
  await stack.stock(8)
  const html = `<!doctype html><title>Forms</title>
<script>window.loaded = () => { window.isLoaded = true }</script>
<script src="${url}/v1/guard/compat.js?onload=loaded&render=${site.key}" async defer></script>
<form id="turnstile"><div class="cf-turnstile" data-sitekey="${site.key}" data-action="Log In"></div></form>
<form id="hcaptcha"><div class="h-captcha" data-sitekey="${site.key}"></div></form>
<form id="explicit"><div id="place"></div></form>
<form id="button"><button class="g-recaptcha" data-sitekey="${site.key}" data-callback="pressed">Send</button></form>
<script>window.pressed = (token) => { window.pressedWith = token }</script>`
  const server = createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(html))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => void server.close())
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await stack.ask(`PATCH /v1/guard/sites/${site.id}`, { body: { origins: [origin] } })
  const { page, errors } = await opened(origin)
  const see = async (expression: string, what: string): Promise<string> =>
    String(await until(() => page.evaluate(expression), { what, timeout: 60_000 }))
  await see('window.isLoaded', 'onload is called')
  const fieldOf = (form: string, name: string) => `new FormData(document.forms.${form}).get('${name}')`
  const first = await see(fieldOf('turnstile', 'cf-turnstile-response'), 'the field of Turnstile')
  t.match(await verify({ secret, response: first }), { success: true, action: 'log_in', hostname: '127.0.0.1' })
  const second = await see(fieldOf('hcaptcha', 'h-captcha-response'), 'the field of hCaptcha')
  t.equal(await page.evaluate(fieldOf('hcaptcha', 'g-recaptcha-response')), second)
  t.equal(await page.evaluate('hcaptcha.getResponse()'), second)
  t.match(await verify({ secret, response: second }), { success: true, action: 'submit' })
  await page.evaluate(
    `window.id = turnstile.render('#place', { sitekey: '${site.key}', callback: (token) => { window.solvedWith = token } })`,
  )
  t.equal(await page.evaluate('typeof window.id'), 'string', 'the ID of the first widget is not falsy')
  const third = await see('window.solvedWith', 'the callback of render')
  t.equal(await page.evaluate('turnstile.getResponse(window.id)'), third)
  await page.evaluate('turnstile.reset(window.id)')
  t.equal(await page.evaluate('turnstile.getResponse(window.id)'), '')
  const fourth = String(await page.evaluate(`grecaptcha.execute('${site.key}', { action: 'buy' })`))
  t.match(await verify({ secret, response: fourth }), { success: true, action: 'buy' })
  await page.locator('button.g-recaptcha').click()
  t.match(await verify({ secret, response: await see('window.pressedWith', 'the button') }), { success: true })
  t.same(errors, [])
  await page.close()
})
