import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { config } from '#lib/config.ts'
import { chromiumPath, startBrowser } from '../support/browser.ts'
import { freePort } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'
import { onAir, testOrigin } from './on-air.ts'

const skip = existsSync(chromiumPath) ? false : `${chromiumPath} is missing: apt-get install chromium`

/** Sixteen bars of 20 pixels across the top: the clock in hundredths of a second, the lowest bit first. */
const clock = "geq=lum='16+219*mod(floor(mod(time(0)*100,65536)/pow(2,floor(X/20))),2)':cb=128:cr=128"

/** An encoder at a camera's pace; the clock is drawn when the frame is. */
function encode(url: string): ChildProcess {
  const picture = `color=gray:s=320x20:r=30,format=yuv420p,${clock},pad=320:180`
  const codec = '-c:v libx264 -preset ultrafast -tune zerolatency -g 30 -keyint_min 30 -sc_threshold 0 -c:a aac -f flv'
  const inputs = ['-re', '-f', 'lavfi', '-i', picture, '-re', '-f', 'lavfi', '-i', 'sine=sample_rate=44100']
  return spawn(config.FFMPEG_PATH, ['-nostdin', '-v', 'error', ...inputs, ...codec.split(' '), url], {
    stdio: 'inherit',
  })
}

/** Reads the clock in the picture that the page shows; milliseconds behind now. */
const behind = `(() => {
  const video = document.querySelector('video')
  const canvas = window.canvas ??= Object.assign(document.createElement('canvas'), { width: 320, height: 20 })
  const context = canvas.getContext('2d', { willReadFrequently: true })
  context.drawImage(video, 0, 0, 320, 20, 0, 0, 320, 20)
  const { data } = context.getImageData(0, 10, 320, 1)
  let shown = 0
  for (let bit = 0; bit < 16; bit++) if (data[4 * (20 * bit + 10)] > 128) shown += 2 ** bit
  const now = Math.floor(Date.now() / 10) % 65536
  return ((now - shown + 65536) % 65536) * 10
})()`

t.test(
  'the watch page shows a broadcast at most 1.5 s after the encoder drew it, and does not stall in five minutes',
  { skip },
  async (t) => {
    const stack = await videoStack(t, { areas: ['directory'] })
    const origin = await testOrigin(t, stack)
    const input = `rtmp://127.0.0.1:${await freePort()}/live/clock`
    const air = await onAir(stack, origin, { input, inputOptions: ['-listen', '1'] })
    await pause(500)
    const encoder = encode(input)
    t.teardown(() => encoder.kill('SIGKILL'))
    const browser = await startBrowser(t, chromiumPath)
    await until(() => air.states.includes('live'))
    const page = await browser.newPage({ viewport: { width: 340, height: 200 } })
    await page.goto(`${stack.ingress.url}/v1/stream/live/watch/${air.token}`)
    // Until its script has run, `player` is the element of that id.
    await until(() => page.evaluate("typeof window.player?.on === 'function'"))
    await page.evaluate(`(() => {
    window.troubles = []
    const video = document.querySelector('video')
    video.muted = true
    void video.play()
    window.player.on('hlsError', (_, { details, fatal }) => window.troubles.push(details + (fatal ? ' (fatal)' : '')))
    video.addEventListener('waiting', () => window.troubles.push('waiting'))
  })()`)
    const plays = "document.querySelector('video').currentTime > 0.5"
    await until(() => page.evaluate(plays), { timeout: 30_000 }).catch(async (error) => {
      t.comment(JSON.stringify(await page.evaluate('troubles')))
      throw error
    })
    // Catching up after the start is not what is measured.
    await pause(8_000)
    await page.evaluate('window.troubles.length = 0')
    const seconds = 300
    const measured: number[] = []
    for (let i = 0; i < seconds; i++) {
      measured.push((await page.evaluate(behind)) as number)
      await pause(1_000)
    }
    const sorted = measured.toSorted((a, b) => a - b)
    const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN
    const says = await page.evaluate('({ troubles, latency: player.latency, target: player.targetLatency })')
    t.comment(`p5 ${at(0.05)} ms, median ${at(0.5)} ms, p95 ${at(0.95)} ms; ${JSON.stringify(says)}`)
    t.comment(JSON.stringify(air.live.stats()))
    t.ok(at(0.5) <= 1_500, `the median is ${at(0.5)} ms`)
    t.notMatch(JSON.stringify(says), /stall|fatal/i)
  },
)
