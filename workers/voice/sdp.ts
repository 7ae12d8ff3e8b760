/** Session descriptions (RFC 8866) that are passed from one leg to the other (RFC 3725). */
import { randomInt } from 'node:crypto'

export class Description {
  readonly #id = randomInt(1, 2 ** 31)
  #version = 0
  last = ''

  next(content: string, address: string): string {
    this.#version++
    this.last = ours(content, { id: this.#id, version: this.#version, address })
    return this.last
  }
}

/**
 * Returns the first offer for A, while B does not exist yet: a call on hold that receives no audio (RFC 3725 5, flow
 * IV).
 */
export const createHoldOffer = (address: string): string =>
  lines(
    'v=0',
    `o=- 0 0 IN IP4 ${address}`,
    's=-',
    'c=IN IP4 0.0.0.0',
    't=0 0',
    'm=audio 9 RTP/AVP 8 0 101',
    'a=rtpmap:8 PCMA/8000',
    'a=rtpmap:0 PCMU/8000',
    'a=rtpmap:101 telephone-event/8000',
    'a=inactive',
  )

/**
 * Returns the description of one side as Millrace's session with the other side: one session ID and an increasing
 * version (RFC 3264 8).
 */
function ours(sdp: string, session: { id: number; version: number; address: string }): string {
  const origin = `o=- ${session.id} ${session.version} IN IP4 ${session.address}`
  return lines(...linesOf(sdp).map((line) => (line.startsWith('o=') ? origin : line)))
}

/** Returns the answer that rejects all media of an offer: each port is 0 (RFC 3264 6). */
export function createRefusal(offer: string, address: string): string {
  const media = linesOf(offer).filter((line) => line.startsWith('m='))
  return lines(
    ...['v=0', `o=- 0 0 IN IP4 ${address}`, 's=-', 'c=IN IP4 0.0.0.0', 't=0 0'],
    ...media.map((line) => line.replace(/^(m=\w+) \d+(\/\d+)?/, '$1 0')),
  )
}

const linesOf = (sdp: string): string[] => sdp.split(/\r\n|\r|\n/).filter(Boolean)
const lines = (...all: string[]): string => `${all.join('\r\n')}\r\n`
