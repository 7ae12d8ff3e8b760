import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { newId } from '#lib/ids.ts'
import * as broadcasts from '#sql/live/broadcasts.ts'
import * as liveSessions from '#sql/live/sessions.ts'
import type { ChannelOptions, LiveChannel, LiveOrigin, LivePart } from '../../workers/live/origin/channel.ts'
import { createLiveOrigin } from '../../workers/live/origin/index.ts'
import { leaseholder } from '../support/leaseholder.ts'
import type { Scope } from '../support/postgres.ts'
import { signingSecret, type VideoStack } from '../support/video-stack.ts'
import { type MediaPlaylist, parseMedia } from './hls-rules.ts'

const execute = promisify(execFile)

/** Writes what an encoder would send, to an FLV file: 30 frames a second, a key frame each second, filtered if wished. */
export async function recorded(
  path: string,
  seconds: number,
  filter = 'null',
  sound: false | string = 'aac',
): Promise<string> {
  const picture = `testsrc2=size=160x90:rate=30:duration=${seconds},${filter}`
  const tone = ['-f', 'lavfi', '-i', `sine=sample_rate=44100:duration=${seconds}`]
  const codec = '-c:v libx264 -preset ultrafast -tune zerolatency -g 30 -keyint_min 30 -sc_threshold 0 -fps_mode vfr'
  const args = [
    '-v',
    'error',
    '-y',
    '-f',
    'lavfi',
    '-i',
    picture,
    ...(sound ? [...tone, '-c:a', sound] : []),
    ...codec.split(' '),
  ]
  await execute('ffmpeg', [...args, '-f', 'flv', path], { timeout: 30_000 })
  return path
}

/** Starts an origin in this process, as a worker of pool `live` has one; it ends with the test. */
export async function testOrigin(t: Scope, stack: VideoStack): Promise<LiveOrigin> {
  const origin = await createLiveOrigin({ folder: join(stack.data, 'live'), secret: signingSecret })
  t.teardown(() => origin.close())
  return origin
}

/** A channel that is being broadcast, and one viewer's session. */
export interface OnAir {
  channelId: string
  sessionId: string
  token: string
  live: LiveChannel
  parts: LivePart[]
  states: string[]
  /** Asks for a file as the viewer. */
  get(file: string): Promise<Response>
  playlist(directives?: string): Promise<MediaPlaylist>
}

/** Makes a channel through the API. */
export async function makeChannel(stack: VideoStack): Promise<string> {
  const made = await stack.ask('POST /v1/stream/live/channels', { body: { name: `Channel ${newId()}` } })
  if (made.status !== 201) throw new Error(made.text)
  return made.body.channelId
}

/** Makes a channel through the API, unless there is one, has the origin package an input for it, and mints a viewer's session. */
export async function onAir(
  stack: VideoStack,
  origin: LiveOrigin,
  input: Pick<ChannelOptions, 'input' | 'inputOptions' | 'renditions' | 'slate'> & {
    dvrSeconds?: number
    channelId?: string
  },
): Promise<OnAir> {
  const channelId = input.channelId ?? (await makeChannel(stack))
  const { id } = await broadcasts.insert(stack.db, {
    id: newId(),
    org_id: stack.orgId,
    channel_id: channelId,
    record: true,
  })
  const held = {
    channel_id: channelId,
    worker_id: await leaseholder(stack.db, 'live'),
    origin_url: origin.url,
    source: 'primary' as const,
  }
  await liveSessions.claim(stack.db, { ...held, broadcast_id: id })
  const minted = await stack.ask(`POST /v1/stream/live/channels/${channelId}/playback-sessions`, { body: {} })
  const { sessionId, token, hlsUrl } = minted.body
  const parts: LivePart[] = []
  const states: string[] = []
  const live = origin.startChannel({
    dvrSeconds: 0,
    ...input,
    channelId,
    onPart: (part) => parts.push(part),
    onState: (state) => states.push(state),
  })
  const get = (file: string) => fetch(hlsUrl.replace('index.m3u8', file))
  return {
    channelId,
    sessionId,
    token,
    live,
    parts,
    states,
    get,
    async playlist(directives = '') {
      const answer = await get(`live.m3u8${directives}`)
      if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`)
      return parseMedia(await answer.text())
    },
  }
}

/** Counts the frames of a fragmented MP4, every one decoded. */
export async function decodedFrames(path: string): Promise<number> {
  const args = '-v error -select_streams v:0 -count_frames -show_entries stream=nb_read_frames -of csv=p=0'.split(' ')
  const { stdout, stderr } = await execute('ffprobe', [...args, path], { timeout: 30_000 })
  if (stderr !== '') throw new Error(stderr)
  return Number.parseInt(stdout, 10)
}
