import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { type Announcement, readAnnouncement } from './announcement.ts'
import type { Grant } from './authorize.ts'
import type { Call } from './call.ts'
import { type Algorithm, type Checksum, type Hasher, startChecksum, statedChecksum } from './checksums.ts'
import { unframe } from './chunks.ts'
import { S3Error } from './errors.ts'

export interface Receipt {
  readonly size: number
  /** MD5 of the body in hex. */
  readonly md5: string
  readonly checksum: Checksum | undefined
}

export interface BodyOptions {
  readonly limit: number
  readonly algorithm?: Algorithm | undefined
}

export class Body {
  readonly #call: Call
  readonly #response: ServerResponse
  readonly #limit: number
  readonly #announced: Announcement
  readonly #algorithm: Algorithm | undefined
  readonly #trailers = new Map<string, string>()
  #receipt: Receipt | undefined

  /** Reads the headers of the body. Throws if the body must be rejected because of them. */
  constructor(call: Call, grant: Grant, response: ServerResponse, { limit, algorithm }: BodyOptions) {
    this.#call = call
    this.#response = response
    this.#limit = limit
    this.#announced = readAnnouncement(call, grant)
    const { length = 0, algorithm: stated } = this.#announced
    if (length > limit) throw tooLarge(limit)
    if (stated && algorithm && stated !== algorithm)
      throw new S3Error('InvalidRequest', `Checksum type mismatch: expected ${algorithm}, got ${stated}.`)
    this.#algorithm = stated ?? algorithm
  }

  /** Returns the bytes without framing. Throws at the end if they do not match the signature or the headers. */
  async *chunks(): AsyncGenerator<Buffer> {
    const md5 = createHash('md5')
    const sha256 = this.#announced.sha256 === undefined ? undefined : createHash('sha256')
    const checksum = this.#algorithm && startChecksum(this.#algorithm)
    const hashers: (Pick<Hasher, 'update'> | typeof md5)[] = [md5, sha256, checksum].filter((hasher) => !!hasher)
    let size = 0
    for await (const chunk of this.#unframed()) {
      size += chunk.length
      if (size > this.#limit) throw tooLarge(this.#limit)
      for (const hasher of hashers) hasher.update(chunk)
      yield chunk
    }
    this.#receipt = this.#check(size, md5.digest(), sha256?.digest('hex'), checksum?.digest().toString('base64'))
  }

  async text(): Promise<string> {
    const chunks: Buffer[] = []
    for await (const chunk of this.chunks()) chunks.push(chunk)
    return Buffer.concat(chunks).toString('utf8')
  }

  get receipt(): Receipt {
    if (!this.#receipt) throw new Error('the body was not read to its end')
    return this.#receipt
  }

  #unframed(): AsyncIterable<Buffer> {
    // A waiting client receives `100 Continue` only after all headers were checked.
    if (this.#call.expectsContinue) this.#response.writeContinue()
    const raw: AsyncIterable<Buffer> = this.#call.request.iterator({ destroyOnReturn: false })
    const { framing } = this.#announced
    return framing ? unframe(raw, framing, this.#trailers) : raw
  }

  #check(size: number, md5: Buffer, sha256: string | undefined, checksum: string | undefined): Receipt {
    const { length, sha256: signed } = this.#announced
    if (length !== undefined && size !== length)
      throw new S3Error('IncompleteBody', `The body has ${size} bytes, but its headers specify ${length}.`)
    if (sha256 !== signed)
      throw new S3Error(
        'XAmzContentSHA256Mismatch',
        "The provided 'x-amz-content-sha256' header does not match the body.",
      )
    checkMd5(this.#call, md5)
    const stated = statedChecksum(this.#trailers) ?? statedChecksum(this.#call.headers)
    if (stated && stated.value !== checksum)
      throw new S3Error('BadDigest', `The ${stated.algorithm} you specified did not match the calculated checksum.`)
    const algorithm = this.#algorithm
    return {
      size,
      md5: md5.toString('hex'),
      checksum: algorithm && checksum ? { algorithm, value: checksum, type: 'FULL_OBJECT' } : undefined,
    }
  }
}

function checkMd5({ headers }: Call, digest: Buffer): void {
  const stated = headers.get('content-md5')
  if (stated === undefined) return
  if (!/^[A-Za-z0-9+/]{22}==$/.test(stated))
    throw new S3Error('InvalidDigest', 'The Content-MD5 you specified was invalid.')
  if (stated !== digest.toString('base64'))
    throw new S3Error('BadDigest', 'The Content-MD5 you specified did not match what we received.')
}

function tooLarge(limit: number): S3Error {
  return new S3Error('EntityTooLarge', 'Your proposed upload exceeds the maximum allowed size.', {
    details: { MaxSizeAllowed: `${limit}` },
  })
}
