import type { Grant } from './authorize.ts'
import { type Call, hasBody, readNumber } from './call.ts'
import { type Algorithm, readAlgorithm, statedChecksum } from './checksums.ts'
import type { Framing } from './chunks.ts'
import { S3Error } from './errors.ts'

export interface Announcement {
  readonly length: number | undefined
  readonly framing: Framing | undefined
  readonly sha256: string | undefined
  readonly algorithm: Algorithm | undefined
}

/** Reads the properties of a body from the headers. Throws if they are contradictory or not supported. */
export function readAnnouncement(call: Call, grant: Grant): Announcement {
  const framing = framingOf(call, grant)
  return {
    length: lengthOf(call, framing !== undefined),
    framing,
    sha256: framing || grant.payload === 'UNSIGNED-PAYLOAD' ? undefined : grant.payload,
    algorithm: algorithmOf(call, framing?.trailers ?? []),
  }
}

const streams = new Map([
  ['STREAMING-UNSIGNED-PAYLOAD-TRAILER', { isSigned: false, hasTrailer: true }],
  ['STREAMING-AWS4-HMAC-SHA256-PAYLOAD', { isSigned: true, hasTrailer: false }],
  ['STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER', { isSigned: true, hasTrailer: true }],
])

function framingOf({ headers }: Call, { payload, seed }: Grant) {
  const stream = streams.get(payload)
  if (!stream && payload !== 'UNSIGNED-PAYLOAD' && !/^[0-9a-f]{64}$/.test(payload))
    throw payload.startsWith('STREAMING-')
      ? new S3Error('NotImplemented', `The payload ${payload} is not implemented.`)
      : new S3Error('InvalidArgument', 'x-amz-content-sha256 must be a SHA-256 in hex or the name of a streaming mode.')
  if (!stream) return undefined
  const announced = headers.get('x-amz-trailer')?.toLowerCase().split(',') ?? []
  const trailers = stream.hasTrailer ? announced.map((name) => name.trim()) : []
  return { seed: stream.isSigned ? seed : undefined, trailers }
}

function lengthOf(call: Call, isStream: boolean): number | undefined {
  const name = isStream ? 'x-amz-decoded-content-length' : 'content-length'
  const value = call.headers.get(name) ?? (hasBody(call.request) && !isStream ? undefined : '')
  if (value === undefined) return undefined
  if (value === '') {
    if (!isStream && call.method === 'POST') return 0
    throw new S3Error('MissingContentLength', `You must provide the ${name} HTTP header.`)
  }
  return readNumber(name, value, 0, Number.MAX_SAFE_INTEGER)
}

function algorithmOf(call: Call, trailers: readonly string[]): Algorithm | undefined {
  const inHeader = statedChecksum(call.headers)?.algorithm
  const inTrailer = statedChecksum(new Map(trailers.map((name) => [name, ''])))?.algorithm
  if (inHeader && inTrailer) throw new S3Error('InvalidRequest', 'Send exactly one checksum, in a header or a trailer.')
  const named = call.headers.get('x-amz-checksum-algorithm')
  return inHeader ?? inTrailer ?? (named === undefined ? undefined : readAlgorithm(named))
}
