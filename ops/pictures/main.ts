/**
 * `npm run pictures`: takes the pictures of the README from a Millrace on this machine that was started in an empty
 * data folder. Its owner must not have joined yet, because the dashboard is opened with the invitation.
 */
import { fileURLToPath } from 'node:url'
import { type Browser, chromium } from 'playwright-core'
import { config } from '#lib/config.ts'
import { readFacts } from '../start/dev-facts.ts'
import { findBrowser } from '../tour/browser.ts'

const viewport = { width: 1280, height: 800 }

const data = config.MILLRACE_DATA ?? '.data'
const facts = await readFacts(`${data}/dev.json`)
if (!facts.app_invitation || !facts.console_url || !facts.keys?.operator)
  throw new Error(
    `${data}/dev.json has no invitation. Run "npm start" in an empty data folder, wait for the tour, then run this command again.`,
  )

const executablePath = findBrowser()
if (!executablePath) throw new Error('No Chromium is installed. Install the Debian package chromium.')
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
try {
  await pictureOfDashboard(browser, facts.app_invitation)
  await pictureOfConsole(browser, facts.console_url, facts.keys.operator)
} finally {
  await browser.close()
}

async function pictureOfDashboard(browser: Browser, invitation: string): Promise<void> {
  const page = await browser.newPage({ viewport })
  await page.goto(invitation)
  await page.locator('#name').fill('Ada Lovelace')
  await page.locator('form.sign-in button').click()
  await page.waitForURL((url) => !url.pathname.startsWith('/app/join'))
  await page.goto(new URL('/app', invitation).href)
  await page.screenshot({ path: file('dashboard.png') })
}

async function pictureOfConsole(browser: Browser, url: string, operatorKey: string): Promise<void> {
  const page = await browser.newPage({ viewport })
  await page.goto(url)
  await page.locator('input[type=password]').fill(operatorKey)
  await page.locator('main form button').first().click()
  await page.goto(url)
  await page.screenshot({ path: file('console.png') })
}

function file(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url))
}
