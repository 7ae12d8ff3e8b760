import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Frame, type Page } from 'playwright-core'
import type { Scope } from './postgres.ts'
import { until } from './until.ts'

/** Where Debian installs Chromium. */
export const chromiumPath = '/usr/bin/chromium'

/** Its shell: the same pages without what surrounds them, for half the processor time of a test. */
const shellPath = '/usr/bin/chromium-headless-shell'

/** What Chromium is started with: without it, it fails to reach its maker's hosts at every start, in a network that is closed. */
export const chromiumArguments =
  '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking'
    .concat(' --disable-component-update --disable-sync --autoplay-policy=no-user-gesture-required --mute-audio')
    .split(' ')

/** Starts a browser that goes with the test: the shell where there is one, unless a path says otherwise, as deep tests do. */
export async function startBrowser(
  t: Scope,
  executablePath = existsSync(shellPath) ? shellPath : chromiumPath,
): Promise<Browser> {
  const browser = await chromium.launch({ executablePath, args: chromiumArguments })
  t.teardown(() => browser.close())
  return browser
}

/** A page with what it has asked for and complained about. */
export interface Watched {
  page: Page
  /** Hosts with ports of all its requests. */
  hosts: Set<string>
  /** Statuses of its answers, by the last part of their path. */
  answers: { name: string; status: number }[]
  /** Errors of its console and of its scripts. */
  errors: string[]
}

/** Opens an empty page and watches it. */
export async function watchedPage(browser: Browser | BrowserContext): Promise<Watched> {
  const page =
    'contexts' in browser ? await browser.newPage({ viewport: { width: 960, height: 540 } }) : await browser.newPage()
  const watched: Watched = { page, hosts: new Set(), answers: [], errors: [] }
  page.on('request', (request) => {
    const { protocol, host } = new URL(request.url())
    if (protocol.startsWith('http')) watched.hosts.add(host)
  })
  page.on('response', (response) => {
    const name = new URL(response.url()).pathname.split('/').at(-1) ?? ''
    watched.answers.push({ name, status: response.status() })
  })
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') watched.errors.push(message.text())
  })
  page.on('pageerror', (error) => watched.errors.push(String(error)))
  return watched
}

/** The first element of a page that a selector names, in the page itself or in the player's shadow root. */
const first = (selector: string) =>
  `(document.querySelector('${selector}') ?? document.querySelector('mill-player')?.shadowRoot?.querySelector('${selector}'))`

/** What the page's video element says of itself, such as `currentTime`. */
export const videoSays = (page: Page | Frame, expression: string): Promise<unknown> =>
  page.evaluate(`(() => { const video = ${first('video')}; return ${expression} })()`)

/** Waits until that is so of the page's video element; asked from outside, as the page's own policy forbids `eval`. */
export async function videoGets(page: Page | Frame, expression: string): Promise<void> {
  const asked = `(() => { const video = ${first('video')}; return Boolean(video && ${expression}) })()`
  await until(() => page.evaluate(asked), { timeout: 30_000, what: expression })
}

const alert = `(() => {
  const element = ${first('[role=alert]')}
  return element && !element.hidden ? element.textContent : null
})()`

/** What the page tells its viewer has gone wrong, null when it tells nothing. */
export const trouble = (page: Page): Promise<unknown> => page.evaluate(alert)

/** Waits until the page tells its viewer that something has gone wrong. */
export const troubleTold = (page: Page): Promise<unknown> => until(() => trouble(page), { what: 'the page tells' })

/** Keeps a picture of what the page shows, in the folder that SCREENSHOTS names, if it does. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  if (process.env.SCREENSHOTS) await page.screenshot({ path: join(process.env.SCREENSHOTS, name) })
}
