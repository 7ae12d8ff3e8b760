import { existsSync } from 'node:fs'
import t from 'tap'
import { gstPublish, gstreamerPath, gstWatch } from '../support/gstreamer.ts'
import { exitOf, liveStack } from '../support/live-stack.ts'

const skip = existsSync(gstreamerPath) ? false : `${gstreamerPath} is missing: apt-get install gstreamer1.0-tools`

t.test('GStreamer publishes, and GStreamer watches it', { skip }, async (t) => {
  const stack = await liveStack(t)
  await stack.startLive()
  const channel = await stack.makeChannel({ visibility: 'unlisted' })
  const publisher = gstPublish(t, stack.rtmp(channel.primary), 200)
  const { stream, playback } = await channel.state('live', 'primary')
  t.match(stream, { videoCodec: /^avc1/, audioCodec: /^mp4a/, width: 320, height: 180 })
  t.ok(await gstWatch(t, playback.open, 50), 'fifty pictures are shown')
  t.equal(await exitOf(publisher), 0)
  const { assetId } = await channel.recorded()
  t.equal(await stack.frames(assetId), 200, 'the recording has every picture')
})
