import type { S3Client } from '@aws-sdk/client-s3'
import { S3RequestPresigner } from '@aws-sdk/s3-request-presigner'

export interface Grant {
  method: 'GET' | 'HEAD' | 'PUT'
  key: string
  query?: Record<string, string>
  /** Headers that the request must send with exactly these values. Their names are in lower case. */
  headers?: Record<string, string>
  seconds: number
  from?: Date
}

/**
 * Signs URLs (SigV4 in the query). Does not use the client library’s commands, because they need six times the CPU: 0.5
 * ms per URL instead of 0.08. An upload requests a hundred URLs at a time.
 */
export class Signer {
  readonly #presigner: S3RequestPresigner
  readonly #endpoint: URL
  readonly #bucket: string | null

  /** `bucket` is `null` if the host name contains it. */
  constructor(client: S3Client, endpoint: string, bucket: string | null) {
    this.#presigner = new S3RequestPresigner({ ...client.config })
    this.#endpoint = new URL(endpoint)
    this.#bucket = bucket
  }

  async url({ method, key, query = {}, headers = {}, seconds, from }: Grant): Promise<string> {
    const { protocol, hostname, port, host, origin, pathname } = this.#endpoint
    const path = `${pathname.replace(/\/$/, '')}/${[this.#bucket ?? [], key.split('/')].flat().map(encode).join('/')}`
    const demanded = new Set(Object.keys(headers))
    const all = { host, ...headers }
    const request = { protocol, hostname, method, path, query, headers: all, ...(port && { port: Number(port) }) }
    // Without these settings, the library omits the content type and moves `x-amz-*` headers into the query.
    const strict = { signableHeaders: new Set(['host', ...demanded]), unhoistableHeaders: demanded }
    const options = { expiresIn: seconds, ...(from && { signingDate: from }), ...(demanded.size > 0 && strict) }
    const signed = await this.#presigner.presign(request, options)
    const pairs = Object.entries(signed.query ?? {}).map(([name, value]) => `${encode(name)}=${encode(String(value))}`)
    return `${origin}${path}?${pairs.join('&')}`
  }
}

/**
 * Percent-encodes everything except the unreserved characters of RFC 3986. The signature includes this form, and some
 * stores do not normalise it.
 */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
