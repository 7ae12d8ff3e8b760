import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { config } from '#lib/config.ts'
import { type Api, ask, mint, type Playback } from '../video-client.ts'
import type { Step } from './video.ts'

const execute = promisify(execFile)

/** Seconds of the broadcast, and of it that are watched. */
const [seconds, watched] = [10, 3]

/** Milliseconds until what has not come is given up. */
const patienceMs = 60_000

interface Channel {
  channelId: string
  ingest: { rtmp: { url: string; streamKey: string } }
}

interface Broadcast {
  recording: string
  assetId: string
}

/** A broadcast goes out, is watched while it goes on, and its recording plays. */
export function liveSteps(folder: string, api: Api, signal: AbortSignal): Step[] {
  return [{ name: 'live', run: () => broadcast(folder, api, signal) }]
}

async function broadcast(folder: string, api: Api, signal: AbortSignal): Promise<string> {
  const path = '/v1/stream/live/channels'
  const { channelId, ingest } = await ask<Channel>(api, 'POST', path, { name: 'Tour', dvrSeconds: 60 })
  if (!(await isOpen(Number(new URL(ingest.rtmp.url).port)))) {
    await ask(api, 'DELETE', `${path}/${channelId}`)
    return 'NOTICE: no worker takes broadcasts here, so nothing goes live'
  }
  const ffmpeg = (...args: string[]) =>
    execute(config.FFMPEG_PATH, ['-nostdin', '-y', '-v', 'error', ...args], { signal })
  const begun = performance.now()
  const sent = ffmpeg(...picture, `${ingest.rtmp.url}/${ingest.rtmp.streamKey}`)
  try {
    const isLive = async () => (await ask<{ state: string }>(api, 'GET', `${path}/${channelId}`)).state === 'live'
    await Promise.race([until(isLive), sent.then(() => Promise.reject(new Error('The broadcast was never live.')))])
    const took = (performance.now() - begun) / 1000
    const { hlsUrl } = await ask<Playback>(api, 'POST', `${path}/${channelId}/playback-sessions`, {})
    await decode(ffmpeg, hlsUrl, join(folder, 'live-frames'), ['-t', String(watched)])
    await sent
    const last = async () => (await ask<{ data: Broadcast[] }>(api, 'GET', `${path}/${channelId}/broadcasts`)).data[0]
    const ended = await until(async () => {
      const found = await last()
      return found?.recording === 'ready' ? found : undefined
    })
    const recording = await mint(api, ended.assetId)
    await decode(ffmpeg, recording.hlsUrl, join(folder, 'recording-frames'), [])
    return `live ${took.toFixed(1)} s after the encoder began, watched while it went on, and its recording plays`
  } finally {
    await ask(api, 'DELETE', `${path}/${channelId}`).catch(() => {})
    await sent.catch(() => {})
  }
}

type Ffmpeg = (...args: string[]) => Promise<unknown>

const decode = (ffmpeg: Ffmpeg, url: string, frames: string, more: string[]) =>
  ffmpeg('-http_persistent', '0', '-xerror', '-i', url, ...more, '-map', '0:v:0', '-f', 'framehash', frames)

/** Whether somebody listens on a port of this machine. */
async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

async function until<T>(look: () => Promise<T | undefined | false>): Promise<T> {
  const end = performance.now() + patienceMs
  for (;;) {
    const found = await look()
    if (found) return found
    if (performance.now() > end) throw new Error('What the tour waited for has not come.')
    await pause(200)
  }
}

/** A moving test picture with sound, sent as fast as it is to be seen, to the address that follows. */
const picture = [
  ['-re', '-f', 'lavfi', '-i', `testsrc2=size=640x360:rate=30:duration=${seconds}`],
  ['-re', '-f', 'lavfi', '-i', `sine=frequency=440:sample_rate=48000:duration=${seconds}`],
  ['-c:v', 'libx264', '-preset', 'ultrafast', '-tune', 'zerolatency', '-g', '30', '-pix_fmt', 'yuv420p'],
  ['-c:a', 'aac', '-f', 'flv'],
].flat()
