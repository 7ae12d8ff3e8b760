import { join } from 'node:path'
import { type Api, ask, type Playback } from '../video-client.ts'
import { findBrowser, startBrowser, type TourBrowser, type TourPage } from './browser.ts'
import type { Step } from './video.ts'
import { decode, ffmpegUntil, isOpen, pollUntil } from './watching.ts'

const rooms = '/v1/stream/rooms'
const channels = '/v1/stream/live/channels'

const watched = 3

interface Token {
  url: string | null
  joinUrl: string
}

interface Channel {
  channelId: string
  ingest: { rtmp: { url: string; streamKey: string } }
}

export function roomSteps(folder: string, api: Api, signal: AbortSignal): Step[] {
  return [{ name: 'rooms', run: () => meeting(folder, api, signal) }]
}

async function meeting(folder: string, api: Api, signal: AbortSignal): Promise<string> {
  const path = findBrowser()
  if (!path) return 'NOTICE: Chromium is not installed (apt-get install chromium), so the room is not shown'
  const { roomId } = await ask<{ roomId: string }>(api, 'POST', rooms, { name: 'Tour' })
  const tokenOf = (displayName: string) =>
    ask<Token>(api, 'POST', `${rooms}/${roomId}/tokens`, { identity: displayName.toLowerCase(), displayName })
  let browser: TourBrowser | undefined
  try {
    const [ann, bo] = await Promise.all([tokenOf('Ann'), tokenOf('Bo')])
    if (ann.url === null) return 'NOTICE: no worker accepts rooms here, so the room is not shown'
    browser = await startBrowser(path, join(folder, 'browser'))
    const begun = performance.now()
    const pages = await Promise.all([ann, bo].map((token) => enter(api, browser as TourBrowser, token)))
    for (const page of pages) await pollUntil(async () => Number(await page.evaluate(pictures)) > 10)
    const took = ((performance.now() - begun) / 1000).toFixed(1)
    return `two participants see each other ${took} s after they opened the page; ${await onAir(folder, api, roomId, signal)}`
  } finally {
    await browser?.close()
    await ask(api, 'DELETE', `${rooms}/${roomId}`).catch(() => {})
  }
}

const pictures =
  "document.querySelector('.tile:not(.self):not(.no-picture) video')?.getVideoPlaybackQuality().totalVideoFrames"

async function enter({ base }: Api, browser: TourBrowser, { joinUrl }: Token): Promise<TourPage> {
  const { pathname, search } = new URL(joinUrl)
  const page = await browser.open(`${base}${pathname}${search}&height=180`)
  await pollUntil(async () => await page.evaluate("document.querySelector('#mirror-camera')?.ariaPressed === 'true'"))
  await page.evaluate("document.getElementById('join').click()")
  return page
}

async function onAir(folder: string, api: Api, roomId: string, signal: AbortSignal): Promise<string> {
  const { channelId, ingest } = await ask<Channel>(api, 'POST', channels, { name: 'Tour: room', record: false })
  try {
    const { url, streamKey } = ingest.rtmp
    if (!(await isOpen(Number(new URL(url).port)))) return 'NOTICE: no worker accepts broadcasts here'
    const begun = performance.now()
    await ask(api, 'POST', `${rooms}/${roomId}/broadcast`, { channelId, streamKey })
    await pollUntil(async () => (await ask<{ state: string }>(api, 'GET', `${channels}/${channelId}`)).state === 'live')
    const took = ((performance.now() - begun) / 1000).toFixed(1)
    const { hlsUrl } = await ask<Playback>(api, 'POST', `${channels}/${channelId}/playback-sessions`, {})
    await pollUntil(async () => (await fetch(hlsUrl)).ok)
    await decode(ffmpegUntil(signal), hlsUrl, join(folder, 'room-frames'), ['-t', String(watched)])
    return `their broadcast is live after ${took} s and can be watched`
  } finally {
    await ask(api, 'DELETE', `${channels}/${channelId}`).catch(() => {})
  }
}
