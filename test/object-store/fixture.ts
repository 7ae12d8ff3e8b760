import { createHash, createHmac } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'
import { join } from 'node:path'
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3'
import type { Test } from 'tap'
import { type ObjectStore, type ObjectStoreOptions, startObjectStore } from '../../ops/embedded/object-store/server.ts'

export const keys = { accessKey: 'AKIDTEST', secretKey: 'a secret/with+marks' }

/** A test store and its folder. */
export type Fixture = ObjectStore & { readonly dir: string; client(config?: S3ClientConfig): S3Client }

/** Starts a store in a new folder with the buckets `media` and `other`, until the test ends. */
export async function startFixture(t: Test, more: Partial<ObjectStoreOptions> = {}): Promise<Fixture> {
  const dir = t.testdir()
  const store = await startObjectStore({
    host: '127.0.0.1',
    port: 0,
    dir,
    region: 'eu-test-1',
    ...keys,
    buckets: ['media', 'other'],
    ...more,
  })
  const clients: S3Client[] = []
  t.teardown(async () => {
    for (const client of clients) client.destroy()
    await store.close()
  })
  const client = (config: S3ClientConfig = {}) => {
    const made = makeClient(store.url, config)
    clients.push(made)
    return made
  }
  return { ...store, dir, client }
}

/** Creates an SDK client with default settings, except those for a self-hosted store. */
export function makeClient(url: string, config: S3ClientConfig = {}): S3Client {
  return new S3Client({
    endpoint: url,
    region: 'eu-test-1',
    forcePathStyle: true,
    credentials: { accessKeyId: keys.accessKey, secretAccessKey: keys.secretKey },
    maxAttempts: 1,
    ...config,
  })
}

export interface Wire {
  readonly method: string
  readonly path: string
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string | Buffer
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly code: string | undefined
}

/** Sends a request without normalising its path. */
export function send({ port }: { readonly port: number }, { method, path, headers = {}, body }: Wire): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        const code = /<Code>(\w+)<\/Code>/.exec(text)?.[1]
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text, code })
      })
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

/** Parameters of a signature. All defaults are correct. */
export interface Signing {
  readonly accessKey?: string
  readonly secretKey?: string
  readonly region?: string
  readonly service?: string
  readonly time?: Date
  readonly payload?: string
  /** Headers that are sent but not signed. */
  readonly unsigned?: OutgoingHttpHeaders
}

/** Signs a request by its headers. A second implementation, so the store is not checked with its own code. */
export function sign({ port }: { readonly port: number }, wire: Wire, signing: Signing = {}): Wire & { seed: Seed } {
  const { accessKey = keys.accessKey, secretKey = keys.secretKey, region = 'eu-test-1', service = 's3' } = signing
  const timestamp = (signing.time ?? new Date()).toISOString().replace(/[-:]|\.\d+/g, '')
  const payload =
    signing.payload ??
    createHash('sha256')
      .update(wire.body ?? '')
      .digest('hex')
  const own = { host: `127.0.0.1:${port}`, 'x-amz-date': timestamp, 'x-amz-content-sha256': payload }
  const headers: Record<string, string> = { ...own, ...(wire.headers as Record<string, string>) }
  const names = Object.keys(headers).sort()
  const [path = '', query = ''] = wire.path.split('?')
  const pairs = query.split('&').map((pair) => (pair === '' || pair.includes('=') ? pair : `${pair}=`))
  const canonical = [
    wire.method,
    path,
    pairs.sort().join('&'),
    ...names.map((name) => `${name}:${headers[name]}`),
    '',
    names.join(';'),
    payload,
  ].join('\n')
  const scope = `${timestamp.slice(0, 8)}/${region}/${service}/aws4_request`
  const text = ['AWS4-HMAC-SHA256', timestamp, scope, createHash('sha256').update(canonical).digest('hex')].join('\n')
  const key = scope.split('/').reduce<Buffer>(hmac, Buffer.from(`AWS4${secretKey}`))
  const signature = hmac(key, text).toString('hex')
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKey}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`
  return {
    ...wire,
    headers: { ...headers, authorization, ...signing.unsigned },
    seed: { key, timestamp, scope, signature },
  }
}

/** Start of the signature chain of chunks. */
export interface Seed {
  readonly key: Buffer
  readonly timestamp: string
  readonly scope: string
  readonly signature: string
}

export function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

export async function blobFiles(dir: string): Promise<string[]> {
  const entries = await readdir(join(dir, 'blobs'), { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
}
