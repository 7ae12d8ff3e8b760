import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { mint } from '../../ops/video-client.ts'
import { film } from '../media/sources.ts'
import { chromiumPath, startBrowser, trouble, videoGets, videoSays, watchedPage } from '../support/browser.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'

const skip = existsSync(chromiumPath) ? false : `${chromiumPath} is missing: apt-get install chromium`

t.test(
  'the player ends a view whose right is withdrawn, whatever has been loaded, and loads a minute ahead',
  { skip },
  async (t) => {
    const stack = await videoStack(t)
    const codec = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '60', '-pix_fmt', 'yuv420p']
    const short = await film(join(stack.data, 'short.mp4'), 'testsrc2=s=160x90:r=30:d=14', { codec })
    const assetId = await stack.send(short)
    await stack.startWorkers()
    const browser = await startBrowser(t, chromiumPath)
    await stack.ready(assetId)
    const long = await film(join(stack.data, 'long.mp4'), 'testsrc2=s=160x90:r=5:d=110', { codec })
    const longId = await stack.send(long)
    await until(async () => (await stack.read(longId)).playable, { timeout: 60_000 })
    const { page } = await watchedPage(browser)
    const watch = async (id: string, rate: number) => {
      const { embedUrl, sessionId } = await mint(stack.api, id)
      await page.goto(embedUrl)
      await videoGets(page, 'video.readyState >= 2')
      await videoSays(page, `(video.playbackRate = ${rate}, video.play())`)
      await videoGets(page, 'video.currentTime > 0.2')
      return () => stack.ask(`DELETE /v1/stream/assets/playback-sessions/${sessionId}`)
    }
    const ends = async (within: number) => {
      const since = performance.now()
      t.equal(await until(() => trouble(page), { timeout: 20_000 }), 'This link has been revoked.')
      const took = performance.now() - since
      t.ok(took < within, `${Math.round(took)} ms`)
      t.strictSame(await videoSays(page, '[video.readyState, video.paused]'), [0, true], 'nothing is shown any more')
    }
    let revoke = await watch(longId, 2)
    await videoSays(
      page,
      `(window.most = 0, video.ontimeupdate = video.onprogress = () => {
      if (video.buffered.length) most = Math.max(most, video.buffered.end(video.buffered.length - 1) - video.currentTime)
    })`,
    )
    await videoGets(page, 'most > 40 && video.currentTime > 8')
    t.ok(Number(await page.evaluate('most')) <= 60, `${await page.evaluate('most')} s ahead`)
    await revoke()
    await ends(8_000)

    revoke = await watch(assetId, 0.1)
    await videoGets(page, 'video.buffered.length === 1 && video.buffered.end(0) > 13.5')
    await revoke()
    await ends(14_000)
    await page.close()
  },
)
