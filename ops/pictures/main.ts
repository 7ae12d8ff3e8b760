/**
 * `npm run pictures -- [folder]`: takes screenshots of all pages of a running Millrace on this machine: on a desktop, on
 * a phone and in the dark. Default of the folder: `.data/pictures`. `npm run pictures -- --readme` takes the two of the
 * README instead.
 *
 * The first run signs in with the invitation of the owner, so the owner must not have joined yet. It keeps its session
 * for later runs.
 */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Browser, type BrowserContext, chromium } from 'playwright-core'
import { config } from '#lib/config.ts'
import { type LastFacts, readFacts } from '../start/dev-facts.ts'
import { findBrowser } from '../tour/browser.ts'
import { fill } from './fill.ts'
import { takePages } from './pages.ts'

const viewport = { width: 1280, height: 800 }

const { values, positionals } = parseArgs({ allowPositionals: true, options: { readme: { type: 'boolean' } } })
const data = config.MILLRACE_DATA ?? '.data'
const session = `${data}/pictures-session.json`
const facts = await readFacts(`${data}/dev.json`)
const executablePath = findBrowser()
if (!executablePath) throw new Error('No Chromium is installed. Install the Debian package chromium.')

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
try {
  const context = await signIn(browser, facts)
  if (values.readme) await takeReadme(context)
  else await takeAll(context, positionals[0] ?? '.data/pictures')
} finally {
  await browser.close()
}

/** Returns a context that is signed in to the dashboard and to the console. */
async function signIn(browser: Browser, { app_url, app_invitation, keys }: LastFacts): Promise<BrowserContext> {
  if (!app_url || !keys?.operator)
    throw new Error(`${data}/dev.json is incomplete. Run "npm start", wait for the tour, then run this command again.`)
  const context = await browser.newContext({ viewport, ...(existsSync(session) && { storageState: session }) })
  const page = await context.newPage()
  await page.goto(app_url)
  if (/\/(sign-in|join)/.test(page.url())) {
    if (!app_invitation)
      throw new Error(
        `The owner has already joined. Run "npm start" in an empty data folder, then run this command again.`,
      )
    await page.goto(app_invitation)
    await page.locator('#name').fill('Ada Lovelace')
    await page.locator('form.sign-in button').click()
    await page.waitForURL((url) => !url.pathname.startsWith('/app/join'))
  }
  // The walk uses one host, and a session is valid only for its host.
  await page.goto(new URL('/ops', app_url).href)
  const key = page.locator('input[type=password]')
  if ((await key.count()) > 0) {
    await key.fill(keys.operator)
    await page.locator('main form button').first().click()
    await page.waitForLoadState()
  }
  await context.storageState({ path: session })
  await page.close()
  return context
}

async function takeReadme(context: BrowserContext): Promise<void> {
  for (const [url, name] of [
    [facts.app_url, 'dashboard.png'],
    [new URL('/ops', facts.app_url).href, 'console.png'],
  ] as const) {
    const page = await context.newPage()
    await page.goto(url as string)
    await page.screenshot({ path: fileURLToPath(new URL(name, import.meta.url)) })
  }
}

async function takeAll(context: BrowserContext, folder: string): Promise<void> {
  const origin = new URL(facts.app_url as string).origin
  for (const fault of await fill(origin, facts.keys?.millrace ?? '')) process.stderr.write(`not filled: ${fault}\n`)
  const found = await takePages(context, origin, folder)
  process.stdout.write(`${found} pages in ${folder}\n`)
}
