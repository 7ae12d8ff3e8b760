import '../support/work-environment.ts'
import { existsSync } from 'node:fs'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import t from 'tap'
import { areas } from '../../ingress/areas.ts'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret, storage } from '../../ingress/http/services.ts'
import { chromiumPath, keepPicture, startBrowser, watchedPage } from '../support/browser.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress } from '../support/ingress.ts'
import { sample } from '../support/sample.ts'
import { testStore } from '../support/video-stack.ts'
import { browserCookie, get, type SignedIn } from './fixture.ts'
import { busyOrganisation } from './organisation.ts'

t.setTimeout(240_000)
const skip = existsSync(chromiumPath) ? false : `${chromiumPath} is missing: apt-get install chromium`
const { db } = await testDatabase(t)
const store = await testStore(t)
const secret = provide(signingSecret, 'a secret of this test, long enough to sign with')
const { url } = await testIngress(t, db, [], { services: [secret, provide(storage, store.storage)] })
const { owner: member, unlinked } = await busyOrganisation(db, url)

// Ways in and out, which are another test's, what no browser shows as a page, and what leads elsewhere at once.
const other =
  /^\/app\/(sign-|join|assets|scripts|regions|prolong|find\.json)|\/(download|join|play|shown)$|\/transcript\/\{file\}$|^\/app\/files\/[^/]+\/(preview|image\/[^/]+)$|\.csv$/
const templates = areas
  .flatMap((area) => area.operations)
  .filter(({ path, route }) => route.method === 'GET' && /^\/app($|\/)/.test(path) && !other.test(path))
  .map(({ path }) => path)

/** An address of each page, found as somebody finds it: by links from the pages that the navigation leads to. */
async function addresses(who: SignedIn): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  const waiting = [unlinked, ...templates.filter((path) => !path.includes('{'))]
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const template = templateOf(path)
    if (template === undefined || found.has(template)) continue
    found.set(template, path)
    const { text } = await get(url, path, who)
    if (Buffer.byteLength(text) > 150 * 1024) throw new Error(`${path} has more than 150 KiB of HTML`)
    // Some pages need the query of their link, for example a language.
    waiting.push(...[...text.matchAll(/href="(\/app[^"#]*)/g)].map(([, href = '']) => href.replaceAll('&amp;', '&')))
  }
  return found
}

const patterns = templates.map((path) => [path, new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`)] as const)

function templateOf(address: string): string | undefined {
  const [path = ''] = address.split('?')
  return templates.includes(path) ? path : patterns.find(([, pattern]) => pattern.test(path))?.[0]
}

const standards = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa']

interface Found {
  id: string
  nodes: { html: string }[]
}

/** What a page has against rules; contrast must have been looked at. */
async function faultsOf(page: Page, runOnly: readonly string[]): Promise<string[]> {
  const rules = { 'heading-order': { enabled: runOnly === standards } }
  const options = JSON.stringify({ runOnly, rules, resultTypes: ['violations'] })
  const run = `axe.run(document, ${options}).then(({ violations, passes }) => ({ violations, seen: passes.map(({ id }) => id) }))`
  const { violations, seen } = (await page.evaluate(run)) as { violations: Found[]; seen: string[] }
  const told = violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
  return seen.includes('color-contrast') ? told : [...told, 'contrast was not looked at']
}

/** Pages with the preview of an email in a frame. */
const framed = new Set([
  '/app/campaigns/{campaign_id}',
  '/app/campaigns/{campaign_id}/preview',
  '/app/campaigns/{campaign_id}/send',
  '/app/mail/{id}',
  '/app/notify/brands/new',
  '/app/notify/brands/{product_key}',
  '/app/received/{id}',
  '/app/templates/new',
  '/app/templates/{template_id}/edit',
  '/app/templates/{template_id}',
  '/app/templates/{template_id}/versions/{number}',
])

t.test('every page is for everybody, in light on a desk and in dark on a phone', { skip }, async (t) => {
  const pages = await addresses(member)
  const missing = templates.filter((path) => !pages.has(path))
  t.strictSame(missing, [], 'every page is reached')
  const browser = await startBrowser(t)
  // The policy of the pages keeps out scripts of others, and axe is one.
  const context = await browser.newContext({ bypassCSP: true })
  await context.addCookies([browserCookie(url, member)])
  const waiting = sample([...pages], 4)
  const lane = async () => {
    const { page, errors } = await watchedPage(context)
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [template, path] = next
      await page.setViewportSize({ width: 1280, height: 844 })
      await page.emulateMedia({ colorScheme: 'light' })
      t.equal((await page.goto(url + path))?.status(), 200, template)
      await page.evaluate(axe.source)
      t.strictSame(await faultsOf(page, standards), [], `${template} on a desk`)
      await page.setViewportSize({ width: 390, height: 844 })
      await page.emulateMedia({ colorScheme: 'dark' })
      t.strictSame(await faultsOf(page, ['color-contrast']), [], `${template} in the dark on a phone`)
      t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${template}: nothing is wider`)
      await keepPicture(page, `app${template.replaceAll('/', '-')}.png`)
      // The player of a channel hears by 404 that nobody publishes to it.
      // The frame of a preview is of no origin, and the rules' own script asks it in vain.
      const expected = (error: string) =>
        (template === '/app/live/{channel_id}/watch' && error.includes('status of 404')) ||
        (framed.has(template) && error.includes("'postMessage' on 'DOMWindow'"))
      t.strictSame(
        errors.splice(0).filter((error) => !expected(error)),
        [],
        `${template} complains of nothing`,
      )
    }
  }
  await Promise.all([lane(), lane()])
})

t.test('by keyboard one comes past the navigation, and to the fields of a form', { skip }, async (t) => {
  const context = await (await startBrowser(t)).newContext()
  await context.addCookies([browserCookie(url, member)])
  const page = await context.newPage()
  await page.goto(`${url}/app/members/invite`)
  const focused = () => page.evaluate('document.activeElement.id || document.activeElement.textContent')
  await page.keyboard.press('Tab')
  t.equal(await focused(), 'Skip to the content')
  await page.keyboard.press('Enter')
  t.equal(await focused(), 'main')
  const reached: unknown[] = []
  while (reached.length < 5 && reached.at(-1) !== 'email') {
    await page.keyboard.press('Tab')
    reached.push(await focused())
  }
  t.equal(reached.at(-1), 'email')
})
