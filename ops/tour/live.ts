import { join } from 'node:path'
import { type Api, ask, mint, type Playback } from '../video-client.ts'
import type { Step } from './video.ts'
import { decode, ffmpegUntil, isOpen, pollUntil } from './watching.ts'

/** Duration of the broadcast in seconds, and how many of these seconds are watched. */
const [seconds, watched] = [10, 3]

interface Channel {
  channelId: string
  ingest: { rtmp: { url: string; streamKey: string } }
}

interface Broadcast {
  recording: string
  assetId: string
}

export function liveSteps(folder: string, api: Api, signal: AbortSignal): Step[] {
  return [{ name: 'live', run: () => broadcast(folder, api, signal) }]
}

async function broadcast(folder: string, api: Api, signal: AbortSignal): Promise<string> {
  const path = '/v1/stream/live/channels'
  const { channelId, ingest } = await ask<Channel>(api, 'POST', path, { name: 'Tour', dvrSeconds: 60 })
  if (!(await isOpen(Number(new URL(ingest.rtmp.url).port)))) {
    await ask(api, 'DELETE', `${path}/${channelId}`)
    return 'NOTICE: no worker accepts broadcasts here, so nothing is broadcast'
  }
  const ffmpeg = ffmpegUntil(signal)
  const begun = performance.now()
  const sent = ffmpeg(...picture, `${ingest.rtmp.url}/${ingest.rtmp.streamKey}`)
  try {
    const isLive = async () => (await ask<{ state: string }>(api, 'GET', `${path}/${channelId}`)).state === 'live'
    await Promise.race([
      pollUntil(isLive),
      sent.then(() => Promise.reject(new Error('The broadcast did not become live.'))),
    ])
    const took = (performance.now() - begun) / 1000
    const { hlsUrl } = await ask<Playback>(api, 'POST', `${path}/${channelId}/playback-sessions`, {})
    await decode(ffmpeg, hlsUrl, join(folder, 'live-frames'), ['-t', String(watched)])
    await sent
    const last = async () => (await ask<{ data: Broadcast[] }>(api, 'GET', `${path}/${channelId}/broadcasts`)).data[0]
    const ended = await pollUntil(async () => {
      const found = await last()
      return found?.recording === 'ready' ? found : undefined
    })
    const recording = await mint(api, ended.assetId)
    await decode(ffmpeg, recording.hlsUrl, join(folder, 'recording-frames'), [])
    return `live ${took.toFixed(1)} s after the encoder started, watched live, and its recording plays`
  } finally {
    await ask(api, 'DELETE', `${path}/${channelId}`).catch(() => {})
    await sent.catch(() => {})
  }
}

/** ffmpeg arguments for a test video with audio at real-time pace. The destination URL follows. */
const picture = [
  ['-re', '-f', 'lavfi', '-i', `testsrc2=size=640x360:rate=30:duration=${seconds}`],
  ['-re', '-f', 'lavfi', '-i', `sine=frequency=440:sample_rate=48000:duration=${seconds}`],
  ['-c:v', 'libx264', '-preset', 'ultrafast', '-tune', 'zerolatency', '-g', '30', '-pix_fmt', 'yuv420p'],
  ['-c:a', 'aac', '-f', 'flv'],
].flat()
