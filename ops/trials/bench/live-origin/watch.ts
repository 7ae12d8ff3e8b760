/** Watches a channel like many players, each reload waiting for the next part. Reports the reload times. */
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'undici'
import { sendResult } from '../child.ts'
import { Tally } from '../tally.ts'

export interface WatchSettings {
  base: string
  /** The folder of the channel, with one path per viewer. */
  paths: string[]
  headers: Record<string, string>
  seconds: number
}

const { base, paths, headers, seconds } = JSON.parse(process.argv[2] ?? '{}') as WatchSettings
const tally = new Tally()

function nextOf(text: string): string {
  const [, first = '0'] = /#EXT-X-MEDIA-SEQUENCE:(\d+)/.exec(text) ?? []
  const [, skipped = '0'] = /SKIPPED-SEGMENTS=(\d+)/.exec(text) ?? []
  const segments = text.match(/#EXTINF/g)?.length ?? 0
  const parts = text.slice(Math.max(0, text.lastIndexOf('#EXTINF'))).match(/#EXT-X-PART:/g)?.length ?? 0
  return `_HLS_msn=${Number(first) + Number(skipped) + segments}&_HLS_part=${parts}&_HLS_skip=YES`
}

async function watch(folder: string): Promise<void> {
  const client = new Client(base)
  const get = async (path: string) => {
    const { statusCode, body } = await client.request({ path: `${folder}/${path}`, method: 'GET', headers })
    const text = await body.text()
    if (statusCode !== 200) tally.refused(() => `${statusCode} of ${path.slice(0, 80)}: ${text.slice(0, 200)}`)
    return statusCode === 200 ? text : undefined
  }
  let text = await get('live.m3u8')
  while (!tally.over) {
    if (text === undefined) await pause(1000)
    const begun = performance.now()
    text = await get(`live.m3u8${text === undefined ? '' : `?${nextOf(text)}`}`)
    tally.took(performance.now() - begun)
    const part = text?.match(/^#EXT-X-PART:.*$/gm)?.at(-1)
    if (part) await get(/URI="([^"]+)"/.exec(part)?.[1] ?? '')
  }
  await client.destroy()
}

const viewers = paths.map(async (folder, n) => {
  // Viewers start at different times.
  await pause((400 * n) / paths.length)
  await watch(folder)
})
sendResult(await tally.count(seconds))
await Promise.all(viewers)
