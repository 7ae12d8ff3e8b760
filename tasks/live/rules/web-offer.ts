import type { Fault } from '#lib/errors.ts'
import {
  findAttribute,
  findCodec,
  type MediaSection,
  maxSections,
  readDescription,
  type SessionDescription,
} from './session-description.ts'

/** Maximum number of lines, and of characters per line, in an offer. Browsers send about 300 lines. */
const [mostLines, mostLetters] = [2_000, 2_000]

export interface OfferFaults {
  faults: Fault[]
  unsupported?: string
}

/** True for H.264 with packets that can contain parts of frames, as all browsers send it (RFC 6184 6.2, 6.3). */
export const isPlainH264 = (format: string): boolean =>
  format.split(';').some((one) => one.trim() === 'packetization-mode=1')

/** Highest payload type: seven bits (RFC 3550 5.1). Janus also accepts higher numbers, which no packet can contain. */
const mostPayloadType = 127

const isPayloadType = (text: string): boolean => {
  const type = Number(text)
  return Number.isInteger(type) && type >= 0 && type <= mostPayloadType && String(type) === text
}

export function checkPublisher(sdp: string): OfferFaults {
  const { description, faults } = check(sdp)
  const sent = description.media.filter(({ direction, isRejected }) => !isRejected && direction.startsWith('send'))
  const [video] = sent.filter(({ kind }) => kind === 'video')
  faults.push(...tooMany(sent))
  if (faults.length === 0 && !video) faults.push({ field: 'body.sdp', issue: 'must send video' })
  if (faults.length > 0 || !video) return { faults }
  if (!findCodec(video, 'H264/90000', isPlainH264))
    return {
      faults,
      unsupported: 'The offer has no H.264 with packetization-mode=1. VP8, VP9 and AV1 cannot be broadcast.',
    }
  return { faults, ...noOpus(sent) }
}

export function checkViewer(sdp: string): OfferFaults {
  const { description, faults } = check(sdp)
  const got = description.media.filter(
    ({ direction, isRejected }) => !isRejected && ['sendrecv', 'recvonly'].includes(direction),
  )
  faults.push(...tooMany(description.media))
  if (faults.length === 0 && got.length === 0) faults.push({ field: 'body.sdp', issue: 'must receive audio or video' })
  if (faults.length > 0) return { faults }
  const video = got.find(({ kind }) => kind === 'video')
  if (video && !findCodec(video, 'H264/90000', isPlainH264))
    return { faults, unsupported: 'The offer has no H.264 with packetization-mode=1. Broadcasts use this format.' }
  return { faults, ...noOpus(got) }
}

function noOpus(media: readonly MediaSection[]): { unsupported?: string } {
  const audio = media.find(({ kind }) => kind === 'audio')
  return audio && !findCodec(audio, 'opus/48000')
    ? { unsupported: 'The offer has audio without Opus. Broadcasts use Opus audio.' }
    : {}
}

function tooMany(media: readonly MediaSection[]): Fault[] {
  return ['audio', 'video'].flatMap((kind) =>
    media.filter((one) => one.kind === kind).length > 1
      ? [{ field: 'body.sdp', issue: `must have only one ${kind} section` }]
      : [],
  )
}

function check(sdp: string): { description: SessionDescription; faults: Fault[] } {
  const fault = (issue: string): Fault => ({ field: 'body.sdp', issue })
  const lines = sdp.split('\n')
  const description = readDescription(lines.length > mostLines ? '' : sdp)
  if (lines.length > mostLines) return { description, faults: [fault(`must have at most ${mostLines} lines`)] }
  if (lines[0]?.trimEnd() !== 'v=0')
    return { description, faults: [fault('must be a session description that starts with v=0')] }
  const strange = lines.findIndex((line) => line.trimEnd() !== '' && line[1] !== '=')
  if (strange >= 0) return { description, faults: [fault(`line ${strange + 1} must have the form x=…`)] }
  const sections = lines.filter((line) => line.startsWith('m=')).length
  if (sections > maxSections) return { description, faults: [fault(`must have at most ${maxSections} media sections`)] }
  const { session, media } = description
  const has = (section: MediaSection, name: string) =>
    findAttribute(section.lines, name) ?? findAttribute(session, name)
  const live = media.filter(({ isRejected }) => !isRejected)
  const lacks = (name: string) => live.some((section) => !has(section, name))
  return {
    description,
    faults: [
      ...(lines.some(({ length }) => length > mostLetters)
        ? [fault(`must have lines of at most ${mostLetters} characters`)]
        : []),
      ...(sdp.includes('\0') ? [fault('must not contain a NUL character')] : []),
      ...(media.length === 0 ? [fault('must have a media section')] : []),
      ...(media.some(({ kind }) => kind !== 'audio' && kind !== 'video')
        ? [fault('must not have media other than audio and video')]
        : []),
      ...(live.some(({ payloads }) => payloads.length === 0)
        ? [fault('must have a format in each media section')]
        : []),
      ...(media.some(({ payloads }) => !payloads.every(isPayloadType))
        ? [fault(`must have payload types from 0 to ${mostPayloadType} as formats`)]
        : []),
      ...['ice-ufrag', 'ice-pwd', 'fingerprint'].flatMap((name) =>
        media.length > 0 && lacks(name) ? [fault(`must contain a=${name}`)] : [],
      ),
      ...(live.some((section) => ['passive', 'holdconn'].includes(has(section, 'setup') ?? ''))
        ? [fault('must have a=setup:actpass or active in an offer, not passive')]
        : []),
    ],
  }
}
