import {
  findCodec,
  type MediaSection,
  type OfferedCodec,
  readDescription,
} from '#tasks/live/rules/session-description.ts'
import { isPlainH264 } from '#tasks/live/rules/web-offer.ts'

export interface PlainTrack {
  port: number
  payload: number
}

export interface PlainAnswer {
  sdp: string
  audio: PlainTrack | undefined
  video: PlainTrack | undefined
}

export function answerPlain(offer: string, from: { audio: number | undefined; video: number }): PlainAnswer {
  const found: { audio?: PlainTrack; video?: PlainTrack } = {}
  const sections = readDescription(offer).media.map((section) => {
    const kind = section.kind === 'audio' ? 'audio' : 'video'
    const [port, codec] = [from[kind], wantedOf(section)]
    if (port === undefined || !codec) return rejected(section)
    found[kind] = { port: portOf(section), payload: Number(codec.payload) }
    return accepted(section, port, codec)
  })
  const head = ['v=0', 'o=- 1 1 IN IP4 127.0.0.1', 's=-', 'c=IN IP4 127.0.0.1', 't=0 0']
  return {
    sdp: `${[...head, ...sections.flat()].join('\r\n')}\r\n`,
    audio: found.audio,
    video: found.video,
  }
}

/** Returns the codec that a section receives, or undefined if the section receives nothing. */
function wantedOf(section: MediaSection): OfferedCodec | undefined {
  const takes = !section.isRejected && ['sendrecv', 'recvonly'].includes(section.direction)
  if (!takes) return undefined
  if (section.kind === 'audio') return findCodec(section, 'opus/48000')
  return section.kind === 'video' ? findCodec(section, 'H264/90000', isPlainH264) : undefined
}

const accepted = (section: MediaSection, port: number, { payload, format }: OfferedCodec): string[] => [
  `m=${section.kind} ${port} ${profileOf(section)} ${payload}`,
  'c=IN IP4 127.0.0.1',
  `a=rtpmap:${payload} ${section.kind === 'audio' ? 'opus/48000/2' : 'H264/90000'}`,
  ...(format ? [`a=fmtp:${payload} ${format}`] : []),
  ...(section.kind === 'video' ? ['nack', 'nack pli', 'ccm fir'].map((wish) => `a=rtcp-fb:${payload} ${wish}`) : []),
  'a=sendonly',
]

const fieldsOf = ({ lines }: MediaSection) => (lines[0] ?? '').slice(2).split(' ')

const portOf = (section: MediaSection): number => Number(fieldsOf(section)[1])

const profileOf = (section: MediaSection): string => fieldsOf(section)[2] ?? 'RTP/AVP'

const rejected = (section: MediaSection): string[] => [
  `m=${section.kind} 0 ${profileOf(section)} ${section.payloads[0] ?? '0'}`,
  'a=inactive',
]
