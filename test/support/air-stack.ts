import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sourceKey } from '#sql/video/uploads.ts'
import type { TestScope } from './ingress.ts'
import { type LiveStack, liveStack, type TestChannel } from './live-stack.ts'
import { type Media, mediaPeers } from './media-peer.ts'
import { type RoomsStack, roomsStack } from './rooms-stack.ts'
import { until } from './until.ts'

export interface AirStack {
  live: LiveStack
  rooms: RoomsStack
  /** Starts a rooms worker with a small video size. */
  startRooms: RoomsStack['startRooms']
  /** Opens a browser in a room that publishes a fake camera and microphone. */
  enter(roomId: string, identity: string): Promise<Media>
  broadcast(roomId: string, channel: TestChannel): Promise<void>
  /** Waits for a state of the room’s broadcast. */
  isOn(roomId: string, state: string): Promise<unknown>
  recorded(roomId: string): Promise<string>
  /** Returns a local copy of an asset’s source. */
  sourceOf(assetId: string): Promise<string>
}

export async function airStack(t: TestScope & { testdir(): string }): Promise<AirStack> {
  const live = await liveStack(t)
  const rooms = await roomsStack(t, live)
  const folder = t.testdir()
  const [peers] = await Promise.all([mediaPeers(t), live.startLive({ LIVE_RECONNECT_SECONDS: '10' })])
  const picture = { ROOMS_PICTURE_HEIGHT: '180', ROOMS_PICTURE_RATE: '15' }
  return {
    live,
    rooms,
    startRooms: (more = {}) => rooms.startRooms({ LIVE_RTMP_PORT: String(live.port), ...picture, ...more }),
    async enter(roomId, identity) {
      const { token } = await rooms.token(roomId, identity)
      const peer = await peers.open(await rooms.place(roomId, token), token)
      await peer.publish()
      return peer
    },
    async broadcast(roomId, channel) {
      const body = { channelId: channel.id, streamKey: channel.primary }
      const begun = await live.ask(`POST /v1/stream/rooms/${roomId}/broadcast`, { body })
      if (begun.status !== 201) throw new Error(begun.text)
    },
    isOn: (roomId, state) =>
      until(
        async () => {
          const { body } = await live.ask(`GET /v1/stream/rooms/${roomId}/broadcast`)
          return body.state === state && body
        },
        { timeout: 120_000, what: `the broadcast is ${state}` },
      ),
    recorded: (roomId) =>
      until(
        async () => {
          const { body } = await live.ask(`GET /v1/stream/rooms/${roomId}/recordings`)
          return body.data[0]?.state === 'recorded' && body.data[0].assetId
        },
        { timeout: 120_000, what: 'the recording is an asset' },
      ),
    async sourceOf(assetId) {
      const path = join(folder, `${assetId}.mp4`)
      await writeFile(path, await live.store.storage.readWhole(sourceKey(assetId)))
      return path
    },
  }
}
