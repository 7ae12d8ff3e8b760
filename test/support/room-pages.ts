import { type Browser, type BrowserContextOptions, chromium } from 'playwright-core'
import { chromiumArguments, chromiumPath, type Watched, watchedPage } from './browser.ts'
import type { Scope } from './postgres.ts'
import type { RoomsStack } from './rooms-stack.ts'
import { until } from './until.ts'

/** A camera that counts, a microphone that beeps, a screen that is taken without a question. */
const devices = [
  '--use-fake-device-for-media-stream',
  '--use-fake-ui-for-media-stream',
  '--auto-select-desktop-capture-source=Entire screen',
]

/** Starts a browser with devices; `kill` ends it without a word. */
export async function startTalkers(
  t: Scope,
  executablePath = chromiumPath,
): Promise<{ browser: Browser; kill(): void }> {
  const args = [...chromiumArguments, ...devices]
  const server = await chromium.launchServer({ executablePath, args })
  t.teardown(() => server.close())
  const browser = await chromium.connect(server.wsEndpoint())
  return { browser, kill: () => void server.process().kill('SIGKILL') }
}

/** In place of the beeps a tone without an end, which counts as speech. */
const tone = `{
  const given = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices)
  navigator.mediaDevices.getUserMedia = async (asked) => {
    const stream = await given(asked)
    for (const beeps of stream.getAudioTracks()) {
      const context = new AudioContext()
      const [oscillator, out] = [context.createOscillator(), context.createMediaStreamDestination()]
      oscillator.connect(out)
      oscillator.start()
      stream.removeTrack(beeps)
      beeps.stop()
      stream.addTrack(out.stream.getAudioTracks()[0])
    }
    return stream
  }
}`

/** Somebody at the join page. */
export interface Talker extends Watched {
  token: string
  join(): Promise<void>
  press(name: string | RegExp): Promise<void>
}

/** Opens the join page for somebody, in a profile of their own; the script `watches` runs before its own. */
export async function openTalker(
  t: Scope,
  stack: RoomsStack,
  browser: Browser,
  who: { roomId: string; identity: string; role?: string; displayName?: string },
  { speaks = false, watches = '', ...options }: BrowserContextOptions & { speaks?: boolean; watches?: string } = {},
): Promise<Talker> {
  const { roomId, identity, ...facts } = who
  const { token, joinUrl } = await stack.token(roomId, identity, facts)
  await stack.place(roomId, token)
  const context = await browser.newContext({ viewport: { width: 960, height: 600 }, ...options })
  t.teardown(() => context.close().catch(() => {}))
  if (speaks) await context.addInitScript(tone)
  if (watches) await context.addInitScript(watches)
  const watched = await watchedPage(context)
  const { pathname, search } = new URL(joinUrl)
  // A small picture: three cameras are encoded and six decoded beside each other.
  await watched.page.goto(`${stack.ingress.url}${pathname}${search}&height=180`)
  const press = (name: string | RegExp) => watched.page.getByRole('button', { name, exact: true }).click()
  return {
    ...watched,
    token,
    press,
    async join() {
      if (facts.role !== 'viewer') await watched.page.locator('#mirror-camera[aria-pressed=true]').waitFor()
      await press('Join')
      await watched.page.locator('#room').waitFor()
    },
  }
}

/** A page of any browser that can be asked for the value of an expression. */
type Askable = { evaluate(expression: string): Promise<unknown> }

const others = `[...document.querySelectorAll('.tile:not(.self)')]`

/** The names of those whose pictures come: they move on, and are not the ones of a moment ago. */
export async function seen(page: Askable): Promise<string[]> {
  const asked = `${others}.filter((tile) => !tile.classList.contains('no-picture')).map((tile) =>
    [tile.querySelector('.name').textContent, tile.querySelector('video').getVideoPlaybackQuality().totalVideoFrames])`
  const before = new Map((await page.evaluate(asked)) as [string, number][])
  await until(
    async () => {
      const now = (await page.evaluate(asked)) as [string, number][]
      return now.every(([name, frames]) => !before.has(name) || frames > (before.get(name) ?? 0) + 2)
    },
    { what: 'pictures move' },
  ).catch(() => {})
  const now = (await page.evaluate(asked)) as [string, number][]
  return now
    .filter(([name, frames]) => frames > (before.get(name) ?? Number.POSITIVE_INFINITY))
    .map(([name]) => name)
    .sort()
}

/** The names of those who are heard within some seconds: a microphone beeps once a second. */
export async function heard(page: Askable): Promise<string[]> {
  const asked = `Promise.all(${others}.map(async (tile) => {
    const stream = tile.querySelector('video').srcObject
    if (!stream?.getAudioTracks().length) return []
    const context = new AudioContext()
    const analyser = context.createAnalyser()
    context.createMediaStreamSource(stream).connect(analyser)
    const samples = new Float32Array(analyser.fftSize)
    let loudest = 0
    const end = performance.now() + 3000
    while (loudest < 0.02 && performance.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      analyser.getFloatTimeDomainData(samples)
      loudest = Math.max(loudest, ...samples)
    }
    await context.close()
    return loudest < 0.02 ? [] : [tile.querySelector('.name').textContent]
  }))`
  return ((await page.evaluate(asked)) as string[][]).flat().sort()
}

/** Waits until exactly these are seen and heard. */
export async function meets(page: Askable, names: string[]): Promise<void> {
  const wanted = [...names].sort().join()
  let last = ''
  await until(
    async () => {
      const [see, hear] = [await seen(page), await heard(page)]
      last = `saw ${see}; heard ${hear}`
      return see.join() === wanted && hear.join() === wanted
    },
    { timeout: 40_000, what: `${wanted} are seen and heard` },
  ).catch((error) => {
    throw new Error(`${error.message} (${last})`)
  })
}
