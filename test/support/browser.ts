import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Frame, type Page } from 'playwright-core'
import type { Scope } from './postgres.ts'
import { until } from './until.ts'

/** Path of Chromium in Debian. */
export const chromiumPath = '/usr/bin/chromium'

/** Headless shell: the same pages for half the processor time. */
const shellPath = '/usr/bin/chromium-headless-shell'

/** Path of the headless shell if installed, otherwise of Chromium. */
export const lightPath = existsSync(shellPath) ? shellPath : chromiumPath

/** A fake camera with few pictures per second, a fake microphone, and no prompts. */
export const fakeDevices = ['--use-fake-device-for-media-stream=fps=10', '--use-fake-ui-for-media-stream']

/** Arguments of Chromium. Without them, it tries to reach its vendor’s hosts at each start. */
export const chromiumArguments =
  '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking'
    .concat(' --disable-component-update --disable-sync --autoplay-policy=no-user-gesture-required --mute-audio')
    .split(' ')

/** Starts a browser until the test ends: the shell if installed, or the given path, as in deep tests. */
export async function startBrowser(t: Scope, executablePath = lightPath): Promise<Browser> {
  const browser = await chromium.launch({ executablePath, args: chromiumArguments })
  t.teardown(() => browser.close())
  return browser
}

export interface Watched {
  page: Page
  hosts: Set<string>
  /** Statuses of responses by the last part of their paths. */
  answers: { name: string; status: number }[]
  /** Console errors and JavaScript errors. */
  errors: string[]
}

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
    if (message.type() === 'error' || message.type() === 'warning')
      watched.errors.push(`${message.text()} ${message.location().url}`)
  })
  page.on('pageerror', (error) => watched.errors.push(String(error)))
  return watched
}

const first = (selector: string) =>
  `(document.querySelector('${selector}') ?? document.querySelector('mill-player')?.shadowRoot?.querySelector('${selector}'))`

/** Evaluates an expression on the page’s video element, such as `currentTime`. */
export const videoSays = (page: Page | Frame, expression: string): Promise<unknown> =>
  page.evaluate(`(() => { const video = ${first('video')}; return ${expression} })()`)

/**
 * Waits until an expression on the page’s video element is true. Evaluated from outside, because the page’s policy
 * forbids `eval`.
 */
export async function videoGets(page: Page | Frame, expression: string): Promise<void> {
  const asked = `(() => { const video = ${first('video')}; return Boolean(video && ${expression}) })()`
  await until(() => page.evaluate(asked), { timeout: 30_000, what: expression })
}

const alert = `(() => {
  const element = ${first('[role=alert]')}
  return element && !element.hidden ? element.textContent : null
})()`

/** Returns the error that the page shows to its viewer, or null. */
export const trouble = (page: Page): Promise<unknown> => page.evaluate(alert)

/** Waits until the page shows an error to its viewer. */
export const troubleTold = (page: Page): Promise<unknown> => until(() => trouble(page), { what: 'the page tells' })

export async function keepPicture(page: Page, name: string): Promise<void> {
  if (process.env.SCREENSHOTS) await page.screenshot({ path: join(process.env.SCREENSHOTS, name) })
}
