import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { config } from '#lib/config.ts'
import { killWithParent } from '../../start/supervise.ts'
import { ask } from '../../video-client.ts'
import { waitUntil } from './fault.ts'
import type { Stage } from './stage.ts'
import { watchChannel } from './viewer.ts'

export interface Broadcast {
  /** Records the longest gap between parts so far as normal for this machine. Call it before the faults. */
  calm(): void
  /**
   * Ends the broadcast. `outlasted` skips the checks, because a fault lasted longer than viewers can be protected from
   * it.
   */
  end(outlasted: boolean): Promise<LiveObservation>
}

export interface LiveObservation {
  gap: number
  isJudged: boolean
  broken: string[]
}

/** Number of parts that must arrive before the broadcast counts as steady: ten seconds. */
const steadyParts = 50

/** Normal variation of the gap between parts. The buffer of a player does not tolerate larger gaps. */
const swing = (ms: number) => 2 * ms + 1_000

interface Channel {
  channelId: string
  ingest: { rtmp: { streamKey: string } }
}

interface ChannelState {
  state: string
  stream: { broadcastId: string } | null
}

const path = '/v1/stream/live/channels'

/**
 * Publishes a channel by RTMP to the first worker and watches it until its parts arrive steadily. If they do not, ends
 * the broadcast.
 */
export async function startBroadcast(stage: Stage): Promise<Broadcast> {
  const { base, key, rtmp } = stage
  const api = { base, key }
  const { channelId, ingest } = await ask<Channel>(api, 'POST', path, { name: 'Chaos', record: false })
  await using ends = new AsyncDisposableStack()
  ends.defer(async () => {
    await ask(api, 'DELETE', `${path}/${channelId}`).catch(() => {})
  })
  const read = () => ask<ChannelState>(api, 'GET', `${path}/${channelId}`)
  const connect = () => publish(`${rtmp}/${ingest.rtmp.streamKey}`)
  let publisher = connect()
  ends.defer(() => void publisher.kill('SIGTERM'))
  const before = await waitUntil(
    'the channel is live',
    async () => {
      // A rejected connection is reconnected, as encoders do.
      if (publisher.exitCode !== null) publisher = connect()
      const shown = await read()
      return shown.state === 'live' ? shown : undefined
    },
    500,
  )
  const { hlsUrl } = await ask<{ hlsUrl: string }>(api, 'POST', `${path}/${channelId}/playback-sessions`, {})
  const viewer = watchChannel(hlsUrl)
  ends.defer(() => viewer.stop())
  await waitUntil('parts arrive', () => viewer.parts() >= 5 || undefined)
  viewer.takeGap()
  await waitUntil('parts arrive steadily', () => viewer.parts() >= steadyParts || undefined)
  // From this point, the caller ends the broadcast.
  ends.move()
  let usual = 0
  return {
    calm() {
      usual = viewer.takeGap()
    },
    async end(outlasted) {
      const [gap, limit] = [viewer.takeGap(), swing(usual)]
      const stayed = publisher.exitCode === null && publisher.signalCode === null
      const after = await waitUntil('the channel can be read', read)
      await viewer.stop()
      publisher.kill('SIGTERM')
      if (stayed) await once(publisher, 'exit')
      await ask(api, 'DELETE', `${path}/${channelId}`)
      const claims: [boolean, string][] = [
        [gap <= limit, `a viewer stalled: no part for ${Math.round(gap)} ms, ${Math.round(usual)} before`],
        [viewer.refusals.length === 0, `a viewer was rejected: ${viewer.refusals.slice(0, 3).join('; ')}`],
        [stayed, 'the publisher was disconnected'],
        [after.stream?.broadcastId === before.stream?.broadcastId, 'the broadcast was replaced by another'],
      ]
      const broken = claims.flatMap(([holds, sentence]) => (holds || outlasted ? [] : [sentence]))
      return { gap, isJudged: !outlasted, broken }
    },
  }
}

/** Starts an encoder that sends video and a tone in real time, with a key frame per second. */
function publish(url: string) {
  const picture = ['-re', '-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=25']
  const sound = ['-re', '-f', 'lavfi', '-i', 'sine=sample_rate=48000']
  const coding = '-c:v libx264 -preset ultrafast -tune zerolatency -g 25 -pix_fmt yuv420p -c:a aac -f flv'
  const options = ['-nostdin', '-v', 'error', ...picture, ...sound, ...coding.split(' '), url]
  const { file, args } = killWithParent(config.FFMPEG_PATH, ...options)
  return spawn(file, args, { stdio: 'ignore' })
}
