import { codecOf, type MediaSection, readDescription } from '#tasks/live/rules/session-description.ts'
import { isPlainH264 } from '#tasks/live/rules/web-offer.ts'

/** Where a viewer takes a track in, and under which payload type. */
export interface PlainTrack {
  port: number
  payload: number
}

/** What a viewer's offer in plain RTP is answered by, and what it takes. */
export interface PlainAnswer {
  sdp: string
  audio: PlainTrack | undefined
  video: PlainTrack | undefined
}

/** Answers a viewer's offer in plain RTP: what is sent of it comes from these ports of this host. */
export function answerPlain(offer: string, from: { audio: number | undefined; video: number }): PlainAnswer {
  const { media } = readDescription(offer)
  const found: { audio?: PlainTrack; video?: PlainTrack } = {}
  const sections = media.map((section) => {
    const { kind } = section
    const port = kind === 'audio' || kind === 'video' ? from[kind] : undefined
    const codec = kind === 'audio' ? codecOf(section, 'opus/48000') : codecOf(section, 'H264/90000', isPlainH264)
    const isWanted = !section.isRejected && ['sendrecv', 'recvonly'].includes(section.direction)
    if (port === undefined || !codec || !isWanted) return rejected(section)
    const payload = Number(codec.payload)
    found[kind === 'audio' ? 'audio' : 'video'] = { port: portOf(section), payload }
    return [
      `m=${kind} ${port} ${profileOf(section)} ${payload}`,
      'c=IN IP4 127.0.0.1',
      `a=rtpmap:${payload} ${kind === 'audio' ? 'opus/48000/2' : 'H264/90000'}`,
      ...(codec.format ? [`a=fmtp:${payload} ${codec.format}`] : []),
      ...(kind === 'video' ? ['nack', 'nack pli', 'ccm fir'].map((wish) => `a=rtcp-fb:${payload} ${wish}`) : []),
      'a=sendonly',
    ]
  })
  const head = ['v=0', 'o=- 1 1 IN IP4 127.0.0.1', 's=-', 'c=IN IP4 127.0.0.1', 't=0 0']
  return {
    sdp: `${[...head, ...sections.flat()].join('\r\n')}\r\n`,
    audio: found.audio,
    video: found.video,
  }
}

const fieldsOf = ({ lines }: MediaSection) => (lines[0] ?? '').slice(2).split(' ')

const portOf = (section: MediaSection): number => Number(fieldsOf(section)[1])

const profileOf = (section: MediaSection): string => fieldsOf(section)[2] ?? 'RTP/AVP'

const rejected = (section: MediaSection): string[] => [
  `m=${section.kind} 0 ${profileOf(section)} ${section.payloads[0] ?? '0'}`,
  'a=inactive',
]
