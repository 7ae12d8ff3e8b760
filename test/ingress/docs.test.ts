import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import t from 'tap'
import { chromiumPath, keepPicture, startBrowser, watchedPage } from '../support/browser.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress } from '../support/ingress.ts'

const skip = existsSync(chromiumPath) ? false : `${chromiumPath} is missing: apt-get install chromium`

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document.
type Json = any

t.test('each operation has its call in a shell, in Node and in Python, and each is well-formed', async (t) => {
  const { db } = await testDatabase(t)
  const { ask } = await testIngress(t, db)
  const { areas } = (await ask('GET /v1')).body as Json
  const python: string[] = []
  const shell: string[] = []
  let operations = 0
  for (const { name } of areas) {
    const { paths } = (await ask(`GET /docs/reference/${name}/openapi.json`)).body as Json
    for (const operation of Object.values<Json>(paths).flatMap((item) => Object.values<Json>(item))) {
      operations++
      const [curl, node, call] = operation['x-codeSamples'].map(({ source }: { source: string }) => source)
      t.doesNotThrow(() => new Function(`return async () => { ${node} }`), `${operation.operationId}: ${node}`)
      shell.push(curl)
      python.push(call)
    }
  }
  t.equal(operations, areas.flatMap((area: Json) => area.operations).length)
  await promisify(execFile)('bash', ['-n', '-c', shell.join('\n')])
  const check = 'import ast, json, sys\nfor one in json.load(open(sys.argv[1])): ast.parse(one)'
  const file = `${t.testdir({ 'calls.json': JSON.stringify(python) })}/calls.json`
  await promisify(execFile)('/usr/bin/python3', ['-c', check, file])
})

t.test('a reader searches, changes the face, copies a call, and finds a guide on a phone', { skip }, async (t) => {
  const { db } = await testDatabase(t)
  const { url } = await testIngress(t, db)
  const browser = await startBrowser(t)
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: 'dark' })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: url })
  const { page, hosts, errors } = await watchedPage(context)
  await page.goto(`${url}/docs`)
  await keepPicture(page, 'docs-home-dark.png')
  t.equal(await page.evaluate('getComputedStyle(document.body).backgroundColor'), 'rgb(18, 23, 29)', 'as the device')
  await page.keyboard.press('/')
  await page.keyboard.type('send push mesage')
  const operation = page.getByRole('option').filter({ hasText: /POST \/push\/v1\/messages$/ })
  await operation.waitFor()
  await keepPicture(page, 'docs-search.png')
  while ((await operation.getAttribute('aria-selected')) !== 'true') await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  const calls = page.locator('.calls')
  await calls.waitFor({ timeout: 60_000 })
  t.match(page.url(), '/docs/reference/push/messages.create')
  t.match(
    await calls.getByRole('tabpanel').locator('code').textContent(),
    'curl -X POST "$MILLRACE_BASE_URL/push/v1/messages"',
  )
  await calls.getByRole('tab', { name: 'curl' }).press('ArrowRight')
  t.ok(await calls.getByRole('tab', { name: 'Node' }).evaluate('document.activeElement.textContent === "Node"'))
  await calls.getByRole('tab', { name: 'Node' }).click()
  await calls.getByRole('button', { name: 'Copy' }).click()
  t.match(await page.evaluate('navigator.clipboard.readText()'), 'millrace.push.send({')
  await keepPicture(page, 'docs-reference-dark.png')
  const place = () =>
    page.locator('#contents nav').evaluate('document.querySelector("#contents nav").getBoundingClientRect().top')
  const scrolled = () => page.evaluate('document.querySelector("#contents nav").scrollTop')
  const [top, before] = [await place(), await scrolled()]
  // One pixel above the end: the height of the page may be a fraction.
  await page.evaluate('scrollTo(0, document.documentElement.scrollHeight - innerHeight - 1)')
  t.ok(Number(await page.evaluate('scrollY')) > 300)
  t.equal(await place(), top, 'the contents stay beside the text')
  await page.locator('.of-area').getByRole('link', { name: 'Read a message' }).click()
  await page.getByRole('heading', { name: 'Read a message' }).waitFor()
  t.ok(Number(before) > 0 && (await scrolled()) === before, 'and where they were on the next page')
  await page.goBack()
  await page.getByRole('button', { name: 'Theme: system' }).click()
  await keepPicture(page, 'docs-reference-light.png')
  await page.reload()
  t.equal(await page.evaluate('document.documentElement.dataset.theme'), 'light', 'the choice is kept')
  t.match(await calls.getByRole('tabpanel').locator('code').textContent(), 'millrace.push.send({', 'so is the client')

  await page.setViewportSize({ width: 390, height: 800 })
  await page.goto(`${url}/docs`)
  await page.getByText('Contents', { exact: true }).click()
  await page.locator('#contents').getByRole('link', { name: 'Video' }).first().click()
  await page.locator('article h1').waitFor()
  await keepPicture(page, 'docs-guide-phone.png')
  t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), 'nothing is wider than the phone')
  t.strictSame(errors, [])
  t.strictSame([...hosts], [new URL(url).host])
})
