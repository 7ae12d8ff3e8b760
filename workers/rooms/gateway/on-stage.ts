import type { VideoRoom } from '../janus/video-room.ts'
import type { Member } from './member.ts'
import type { ForwardPorts, OnStage } from './stage.ts'

/** Returns the publishers. With `beside`, the camera of a participant who shares a screen has a separate slot. */
export function getStage(members: Iterable<Member>, beside: boolean): readonly OnStage[] {
  return [...members].flatMap(({ id, row, publisher: { feed, tracks } }) => {
    if (tracks.length === 0) return []
    const sources = new Set(tracks.map(({ source }) => source))
    const video = sources.has('screen') ? 'screen' : sources.has('camera') ? 'camera' : undefined
    const whole = { participantId: id, feed, name: row.display_name, audio: sources.has('microphone'), video } as const
    const hasBoth = beside && video === 'screen' && sources.has('camera')
    return hasBoth ? [whole, { ...whole, audio: false, video: 'camera', isBeside: true } as const] : [whole]
  })
}

export async function forwardMedia(
  member: Member | undefined,
  media: () => Promise<VideoRoom>,
  ports: ForwardPorts,
  isBeside = false,
): Promise<() => Promise<void>> {
  const { publisher } = member ?? {}
  if (!publisher?.feed || publisher.tracks.length === 0) throw new Error('The participant does not publish.')
  const { feed, tracks } = publisher
  const audio = isBeside ? undefined : tracks.find(({ source }) => source === 'microphone')
  const screen = isBeside ? undefined : tracks.find(({ source }) => source === 'screen')
  const video = screen ?? tracks.find(({ kind, source }) => kind === 'video' && source !== 'screen')
  const stop = await (await media()).forward(feed, {
    audio: audio && { mid: audio.mid, port: ports.audioPort },
    video: video && {
      mid: video.mid,
      port: ports.videoPort,
      rtcpPort: ports.videoRtcpPort,
      simulcast: video.simulcast,
    },
  })
  await publisher.keyframe().catch(() => {})
  return stop
}
