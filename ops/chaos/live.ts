import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { config } from '#lib/config.ts'
import { boundToUs } from '../start/supervise.ts'
import { ask } from '../video-client.ts'
import { eventually } from './fault.ts'
import type { Stage } from './stage.ts'
import { watchChannel } from './viewer.ts'

/** A channel on the air with one who watches it. */
export interface Broadcast {
  /** Notes the longest gap between two parts until now, as what is usual on this machine; the faults come after it. */
  calm(): void
  /** Ends it; nothing of what was seen is judged where a fault outlasted what viewers are kept from. */
  end(outlasted: boolean): Promise<LiveObservation>
}

/** What viewer and publisher have seen of the faults. */
export interface LiveObservation {
  /** Milliseconds between two parts at most while they struck. */
  gap: number
  isJudged: boolean
  /** A sentence for each thing that they could not but notice. */
  broken: string[]
}

/** Parts that have come before it is taken to go on: ten seconds. */
const steadyParts = 50

/** What a machine's own swings make of a gap between parts; a player's buffer bears no more. */
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

/** Puts a channel on the air, by RTMP to the first worker, and watches it until its parts come steadily. Where they do not, it is ended. */
export async function putOnAir(stage: Stage): Promise<Broadcast> {
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
  const before = await eventually(
    'the channel was live',
    async () => {
      // As encoders do: a connection that is refused is opened again.
      if (publisher.exitCode !== null) publisher = connect()
      const shown = await read()
      return shown.state === 'live' ? shown : undefined
    },
    500,
  )
  const { hlsUrl } = await ask<{ hlsUrl: string }>(api, 'POST', `${path}/${channelId}/playback-sessions`, {})
  const viewer = watchChannel(hlsUrl)
  ends.defer(() => viewer.stop())
  await eventually('parts came', () => viewer.parts() >= 5 || undefined)
  viewer.takeGap()
  await eventually('parts came steadily', () => viewer.parts() >= steadyParts || undefined)
  // It goes on: its end is the caller's from here on.
  ends.move()
  let usual = 0
  return {
    calm() {
      usual = viewer.takeGap()
    },
    async end(outlasted) {
      const [gap, limit] = [viewer.takeGap(), swing(usual)]
      const stayed = publisher.exitCode === null && publisher.signalCode === null
      const after = await eventually('the channel could be read', read)
      await viewer.stop()
      publisher.kill('SIGTERM')
      if (stayed) await once(publisher, 'exit')
      await ask(api, 'DELETE', `${path}/${channelId}`)
      const claims: [boolean, string][] = [
        [gap <= limit, `a viewer stalled: no part for ${Math.round(gap)} ms, ${Math.round(usual)} before`],
        [viewer.refusals.length === 0, `a viewer was refused: ${viewer.refusals.slice(0, 3).join('; ')}`],
        [stayed, 'the publisher was cut off'],
        [after.stream?.broadcastId === before.stream?.broadcastId, 'the broadcast became another one'],
      ]
      const broken = claims.flatMap(([holds, sentence]) => (holds || outlasted ? [] : [sentence]))
      return { gap, isJudged: !outlasted, broken }
    },
  }
}

/** An encoder that sends a moving picture and a tone at their own pace, a key frame a second. */
function publish(url: string) {
  const picture = ['-re', '-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=25']
  const sound = ['-re', '-f', 'lavfi', '-i', 'sine=sample_rate=48000']
  const coding = '-c:v libx264 -preset ultrafast -tune zerolatency -g 25 -pix_fmt yuv420p -c:a aac -f flv'
  const options = ['-nostdin', '-v', 'error', ...picture, ...sound, ...coding.split(' '), url]
  const { file, args } = boundToUs(config.FFMPEG_PATH, ...options)
  return spawn(file, args, { stdio: 'ignore' })
}
