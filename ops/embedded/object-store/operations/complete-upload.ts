import { createHash } from 'node:crypto'
import { type Exchange, respondXml } from '../exchange.ts'
import { Body } from '../protocol/body.ts'
import { type Algorithm, type Checksum, compose, statedChecksum } from '../protocol/checksums.ts'
import { checkWrite } from '../protocol/conditions.ts'
import { S3Error } from '../protocol/errors.ts'
import * as xml from '../protocol/xml.ts'
import * as objects from '../storage/objects.ts'
import * as uploads from '../storage/uploads.ts'
import { checksumElement } from './stored-headers.ts'

interface StatedPart {
  readonly number: number
  readonly etag: string
  readonly checksum: string | undefined
}

const smallestPart = 5 * 1024 ** 2

/**
 * Creates an object from uploaded parts by linking them, regardless of their size. A client that lost the response can
 * repeat the request.
 */
export async function completeUpload(exchange: Exchange): Promise<void> {
  const { call, grant, response, store } = exchange
  const id = call.query.get('uploadId') ?? ''
  const { algorithm } = uploads.find(store, call, id)
  // Checksum headers refer to the object here, not to this body.
  const headers = new Map([...call.headers].filter(([name]) => !name.startsWith('x-amz-checksum-')))
  const text = await new Body({ ...call, headers }, grant, response, { limit: 4 << 20 }).text()
  const stated = readParts(xml.readDocument(text, 'CompleteMultipartUpload'), algorithm)
  const etag = etagOf(stated)
  const { completed } = uploads.find(store, call, id)
  if (completed?.etag === etag) return answerCompleted(exchange, completed)
  const object = await objects.put(store, call, (current) => {
    const { headers } = uploads.findOpen(store, call, id)
    checkWrite(call.headers, current)
    const parts = match(stated, uploads.parts(store, id, 0, 10_000))
    const checksum =
      algorithm &&
      compose(
        algorithm,
        parts.map(({ checksum, size }) => ({ checksum: checksum ?? '', size })),
      )
    const segments = link(parts)
    const size = segments.reduce((sum, segment) => sum + segment.size, 0)
    checkWhole(call.headers, size, checksum)
    return {
      object: { size, etag, modified: Date.now(), headers, checksum },
      segments,
      settle: () => uploads.complete(store, id, { etag, checksum }),
    }
  })
  await answerCompleted(exchange, object)
}

function answerCompleted(exchange: Exchange, { etag, checksum }: uploads.CompletedUpload): Promise<void> {
  const { path, bucket, key, headers } = exchange.call
  return respondXml(exchange, 'CompleteMultipartUploadResult', {
    Location: `http://${headers.get('host')}${path}`,
    Bucket: bucket,
    Key: key,
    ETag: `"${etag}"`,
    ...checksumElement(checksum?.algorithm, checksum?.value),
    ChecksumType: checksum?.type,
  })
}

function readParts(document: xml.Element, algorithm: Algorithm | undefined): StatedPart[] {
  const parts = document.children
    .filter(({ name }) => name === 'Part')
    .map((part) => ({
      number: Number(xml.textOf(part, 'PartNumber')),
      etag: xml
        .textOf(part, 'ETag')
        .trim()
        .replace(/^"(.*)"$/, '$1'),
      checksum: algorithm && xml.textOf(part, `Checksum${algorithm.toUpperCase()}`, undefined),
    }))
  if (parts.length === 0 || parts.length > 10_000)
    throw new S3Error('MalformedXML', 'A multipart upload must have 1 to 10,000 parts.')
  if (parts.some(({ number }, at) => number <= (parts[at - 1]?.number ?? 0)))
    throw new S3Error('InvalidPartOrder', 'The list of parts was not in ascending order.')
  return parts
}

/** "The MD5 of the concatenated MD5s of the parts, followed by a hyphen and the number of parts." */
function etagOf(parts: readonly StatedPart[]): string {
  const hash = createHash('md5')
  for (const { etag } of parts) hash.update(Buffer.from(etag, 'hex'))
  return `${hash.digest('hex')}-${parts.length}`
}

function match(stated: readonly StatedPart[], uploaded: readonly uploads.Part[]): uploads.Part[] {
  const byNumber = new Map(uploaded.map((part) => [part.number, part]))
  return stated.map(({ number, etag, checksum }, at) => {
    const part = byNumber.get(number)
    const details = { PartNumber: `${number}`, ETag: etag }
    if (!part || part.etag !== etag || (checksum !== undefined && checksum !== part.checksum))
      throw new S3Error('InvalidPart', 'A part could not be found, or its ETag or checksum does not match.', {
        details,
      })
    if (part.size < smallestPart && at < stated.length - 1)
      throw new S3Error('EntityTooSmall', 'Your proposed upload is smaller than the minimum allowed object size.', {
        details: { ...details, ProposedSize: `${part.size}`, MinSizeAllowed: `${smallestPart}` },
      })
    return part
  })
}

function link(parts: readonly uploads.Part[]): objects.Segment[] {
  let start = 0
  return parts.map(({ size, blob }) => {
    const segment = { start, size, blob }
    start += size
    return segment
  })
}

function checkWhole(headers: ReadonlyMap<string, string>, size: number, checksum: Checksum | undefined): void {
  const stated = headers.get('x-amz-mp-object-size')
  if (stated !== undefined && stated !== `${size}`)
    throw new S3Error('InvalidRequest', `The parts have ${size} bytes, but x-amz-mp-object-size is ${stated}.`)
  const sum = statedChecksum(headers)
  if (sum && (sum.algorithm !== checksum?.algorithm || sum.value.split('-')[0] !== checksum.value.split('-')[0]))
    throw new S3Error('BadDigest', `The ${sum.algorithm} you specified did not match that of the parts.`)
}
