import { createHash } from 'node:crypto'
import { S3Client } from '@aws-sdk/client-s3'
import type { OutboundClient, OutboundStream } from '../http.ts'
import { readTags, writeTags } from './object-tags.ts'
import { Signer } from './signer.ts'

export interface RemoteBucketOptions {
  endpoint: string
  region: string
  bucket: string
  /** `path`: the bucket is the first part of the path. `virtual`: it is the first part of the host name. */
  addressing: 'path' | 'virtual'
  accessKey: string
  secretKey: string
}

/** Thrown if the bucket rejected a request. `code` is the code of S3, if the response has one. */
export class BucketResponseError extends Error {
  override name = 'BucketResponseError'
  readonly status: number
  readonly code: string | null

  constructor(status: number, code: string | null) {
    super(`The bucket returned ${status}${code === null ? '' : ` ${code}`}.`)
    this.status = status
    this.code = code
  }
}

export interface RemoteObject {
  etag: string
  /** `null` if the bucket has no versions. */
  version: string | null
  bytes: number | null
  contentType: string | null
}

interface Place {
  key: string
  version?: string | null | undefined
}

const [requestMs, answerBytes] = [20_000, 64 * 1024]

/** Lifetime in seconds of the signature of one request. */
const signedSeconds = 15 * 60

/** S3 bucket of a customer. Its address is untrusted, so all requests go through the guarded client. */
export class RemoteBucket {
  readonly #signer: Signer
  readonly #outbound: OutboundClient
  readonly #signal: AbortSignal | undefined

  constructor(options: RemoteBucketOptions, outbound: OutboundClient, signal?: AbortSignal) {
    const { endpoint, region, bucket, addressing, accessKey, secretKey } = options
    const credentials = { accessKeyId: accessKey, secretAccessKey: secretKey }
    const url = new URL(endpoint)
    if (addressing === 'virtual') url.hostname = `${bucket}.${url.hostname}`
    const client = new S3Client({ endpoint: url.href, region, credentials })
    this.#signer = new Signer(client, url.href, addressing === 'virtual' ? null : bucket)
    this.#outbound = outbound
    this.#signal = signal
  }

  /** Reads at most one name. Throws if the bucket cannot be listed. */
  async check(): Promise<void> {
    await this.#ask('GET', '', { query: { 'list-type': '2', 'max-keys': '1' } })
  }

  async head(place: Place): Promise<RemoteObject> {
    const { headers } = await this.#ask('HEAD', place.key, { query: versionQuery(place) })
    return readObject(headers)
  }

  /** Reads an object as a stream. `take` must read the body within `timeout` milliseconds. */
  async read<T>(
    place: Place,
    { timeout, maxBytes, signal }: { timeout: number; maxBytes: number; signal: AbortSignal },
    take: (object: RemoteObject, body: OutboundStream['body']) => Promise<T>,
  ): Promise<T> {
    const url = await this.#signer.url({
      method: 'GET',
      key: place.key,
      query: versionQuery(place),
      seconds: signedSeconds,
    })
    const options = { headers: { 'accept-encoding': 'identity' }, timeout, maxBytes, signal }
    return await this.#outbound.stream(url, options, async ({ status, headers, body }) => {
      if (status !== 200) throw new BucketResponseError(status, codeOf(await readStart(body)))
      return await take(readObject(headers), body)
    })
  }

  async readTags(place: Place): Promise<Map<string, string>> {
    const { body } = await this.#ask('GET', place.key, { query: { tagging: '', ...versionQuery(place) } })
    return readTags(body.toString('utf8'))
  }

  async writeTags(place: Place, tags: ReadonlyMap<string, string>): Promise<void> {
    const body = Buffer.from(writeTags(tags))
    const headers = { 'content-md5': createHash('md5').update(body).digest('base64') }
    await this.#ask('PUT', place.key, { query: { tagging: '', ...versionQuery(place) }, headers, body })
  }

  /** Writes an object. An existing object with this key is replaced. */
  async write(key: string, body: Buffer, contentType: string): Promise<void> {
    await this.#ask('PUT', key, { query: {}, headers: { 'content-type': contentType }, body })
  }

  async #ask(
    method: 'GET' | 'HEAD' | 'PUT',
    key: string,
    { query, headers = {}, body }: { query: Record<string, string>; headers?: Record<string, string>; body?: Buffer },
  ) {
    const url = await this.#signer.url({ method, key, query, headers, seconds: signedSeconds })
    const answer = await this.#outbound.request(url, {
      method,
      headers: { ...headers, 'accept-encoding': 'identity' },
      ...(body && { body }),
      ...(this.#signal && { signal: this.#signal }),
      timeout: requestMs,
      maxBytes: answerBytes,
    })
    if (answer.status !== 200) throw new BucketResponseError(answer.status, codeOf(answer.body.toString('utf8')))
    return answer
  }
}

const versionQuery = ({ version }: Place): Record<string, string> => (version == null ? {} : { versionId: version })

type Headers = OutboundStream['headers']

const textOf = (headers: Headers, name: string): string | null => {
  const value = headers[name]
  return (Array.isArray(value) ? value[0] : value) ?? null
}

function readObject(headers: Headers): RemoteObject {
  const length = Number(textOf(headers, 'content-length') ?? Number.NaN)
  return {
    etag: textOf(headers, 'etag') ?? '',
    version: textOf(headers, 'x-amz-version-id'),
    bytes: Number.isSafeInteger(length) ? length : null,
    contentType: textOf(headers, 'content-type'),
  }
}

/** Returns the code of an S3 error document. Other texts have none. */
const codeOf = (text: string): string | null => /<Code>([A-Za-z0-9]{1,60})<\/Code>/.exec(text)?.[1] ?? null

async function readStart(body: OutboundStream['body']): Promise<string> {
  let text = ''
  for await (const chunk of body) {
    text += chunk.toString('latin1')
    if (text.length > 4_096) break
  }
  return text
}
