import { type Browser, type BrowserContextOptions, chromium } from 'playwright-core'
import { chromiumArguments, fakeDevices, lightPath, type Watched, watchedPage } from './browser.ts'
import type { Scope } from './postgres.ts'
import type { RoomsStack } from './rooms-stack.ts'
import { until } from './until.ts'

/** A camera with a counter, a microphone that beeps, and a screen without a prompt. */
const devices = [...fakeDevices, '--auto-select-desktop-capture-source=Entire screen']

/** Starts a browser with devices. `kill` kills it. */
export async function startTalkers(t: Scope, executablePath = lightPath): Promise<{ browser: Browser; kill(): void }> {
  const args = [...chromiumArguments, ...devices]
  const server = await chromium.launchServer({ executablePath, args })
  t.teardown(() => server.close())
  const browser = await chromium.connect(server.wsEndpoint())
  return { browser, kill: () => void server.process().kill('SIGKILL') }
}

/** A continuous tone instead of the beeps. It counts as speech. */
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

type Person = { roomId: string; identity: string; role?: string; displayName?: string }

export interface Talker extends Watched {
  token: string
  join(): Promise<void>
  press(name: string | RegExp): Promise<void>
}

/** Returns a person’s join page with their token, when a worker accepts the room. */
export async function joinAddress(
  stack: RoomsStack,
  { roomId, identity, ...facts }: Person,
): Promise<{ url: string; token: string }> {
  const { token, joinUrl } = await stack.token(roomId, identity, facts)
  await stack.place(roomId, token)
  const { pathname, search } = new URL(joinUrl)
  // A small video size: three cameras are encoded and six decoded at the same time.
  return { url: `${stack.ingress.url}${pathname}${search}&height=180`, token }
}

/** Opens the join page for a person in a new profile. `watches` runs before the page’s JavaScript. */
export async function openTalker(
  t: Scope,
  stack: RoomsStack,
  browser: Browser,
  who: Person,
  { speaks = false, watches = '', ...options }: BrowserContextOptions & { speaks?: boolean; watches?: string } = {},
): Promise<Talker> {
  const { url, token } = await joinAddress(stack, who)
  const context = await browser.newContext({ viewport: { width: 960, height: 600 }, ...options })
  t.teardown(() => context.close().catch(() => {}))
  if (speaks) await context.addInitScript(tone)
  if (watches) await context.addInitScript(watches)
  const watched = await watchedPage(context)
  await watched.page.goto(url)
  const press = (name: string | RegExp) => watched.page.getByRole('button', { name, exact: true }).click()
  return {
    ...watched,
    token,
    press,
    async join() {
      if (who.role !== 'viewer') await watched.page.locator('#mirror-camera[aria-pressed=true]').waitFor()
      await press('Join')
      await watched.page.locator('#room').waitFor()
    },
  }
}

type Askable = { evaluate(expression: string): Promise<unknown> }

const others = `[...document.querySelectorAll('.tile:not(.self)')]`

/** Number of shown frames of a video element. Firefox counts them only as painted. */
const frames = `(video) => video.mozPaintedFrames ?? video.getVideoPlaybackQuality().totalVideoFrames`

/** Returns the names of people whose video arrives and changes. */
export async function seen(page: Askable): Promise<string[]> {
  const asked = `${others}.filter((tile) => !tile.classList.contains('no-picture')).map((tile) =>
    [tile.querySelector('.name').textContent, (${frames})(tile.querySelector('video'))])`
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

/**
 * Maximum level of some seconds of a stream, up to 1. The stream is recorded if the browser runs no audio graph on a
 * machine without audio output, like Firefox.
 */
const loudest = `async (stream) => {
  const seconds = (s) => new Promise((resolve) => setTimeout(resolve, s * 1000))
  const context = new AudioContext()
  try {
    await Promise.race([context.resume(), seconds(1)])
    if (context.state !== 'running') {
      const recorder = new MediaRecorder(new MediaStream(stream.getAudioTracks()))
      const written = new Promise((resolve) => { recorder.ondataavailable = ({ data }) => resolve(data) })
      recorder.start()
      await seconds(3)
      recorder.stop()
      const offline = new OfflineAudioContext(1, 1, 48000)
      const sound = await offline.decodeAudioData(await (await written).arrayBuffer())
      return sound.getChannelData(0).reduce((most, sample) => Math.max(most, sample), 0)
    }
    const analyser = context.createAnalyser()
    context.createMediaStreamSource(stream).connect(analyser)
    const samples = new Float32Array(analyser.fftSize)
    let most = 0
    const end = performance.now() + 3000
    while (most < 0.02 && performance.now() < end) {
      await seconds(0.02)
      analyser.getFloatTimeDomainData(samples)
      most = Math.max(most, ...samples)
    }
    return most
  } finally {
    await context.close()
  }
}`

/** Returns the names of people whose audio is received within some seconds. A microphone beeps once per second. */
export async function heard(page: Askable): Promise<string[]> {
  const asked = `Promise.all(${others}.map(async (tile) => {
    const stream = tile.querySelector('video').srcObject
    if (!stream?.getAudioTracks().length || (await (${loudest})(stream)) < 0.02) return []
    return [tile.querySelector('.name').textContent]
  }))`
  return ((await page.evaluate(asked)) as string[][]).flat().sort()
}

/** Waits until exactly these people are seen and heard. */
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
