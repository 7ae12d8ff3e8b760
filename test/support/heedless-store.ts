import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CopyObjectCommand, S3Client } from '@aws-sdk/client-s3'
import type { Scope } from './postgres.ts'
import { storeKeys } from './video-stack.ts'

/** A store that ignores the conditions of copies, like some stores. */
export interface HeedlessStore {
  url: string
  /** Called before the store executes a copy. */
  beforeCopy: (to: string) => Promise<unknown>
  /** Number of executed copies. */
  copies: number
  /** True if it respects conditions, like after a replacement of the store. */
  heeds: boolean
}

/**
 * Wraps a store and forwards all requests except copies. `tags` decides whether a copy’s response has its entity tag,
 * another one, or none.
 */
export async function heedlessStore(
  t: Scope,
  url: string,
  tags: 'own' | 'other' | 'none' = 'own',
): Promise<HeedlessStore> {
  const client = new S3Client({
    endpoint: url,
    region: storeKeys.region,
    forcePathStyle: true,
    credentials: { accessKeyId: storeKeys.accessKey, secretAccessKey: storeKeys.secretKey },
  })
  const store: HeedlessStore = { url: '', beforeCopy: async () => {}, copies: 0, heeds: false }

  async function copy({ headers, url: path = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
    const [Bucket = '', ...rest] = decodeURIComponent(new URL(path, url).pathname.slice(1)).split('/')
    const Key = rest.join('/')
    await store.beforeCopy(Key)
    const { CopyObjectResult } = await client.send(
      new CopyObjectCommand({
        Bucket,
        Key,
        CopySource: String(headers['x-amz-copy-source']),
        MetadataDirective: 'REPLACE',
        ContentType: headers['content-type'],
        CacheControl: headers['cache-control'],
      }),
    )
    store.copies += 1
    const tag = tags === 'other' ? 'f'.repeat(32) : (CopyObjectResult?.ETag ?? '').replaceAll('"', '')
    const told = tags === 'none' ? '<ETag></ETag>' : `<ETag>${tag}</ETag>`
    response.end(`<CopyObjectResult>${told}</CopyObjectResult>`)
  }

  function pass(incoming: IncomingMessage, response: ServerResponse): void {
    const { method, url: path, headers } = incoming
    const { hostname, port } = new URL(url)
    const outgoing = request({ hostname, port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    outgoing.on('error', () => response.destroy())
    incoming.pipe(outgoing)
  }

  const server = createServer((incoming, response) => {
    if (store.heeds || incoming.headers['x-amz-copy-source'] === undefined) return pass(incoming, response)
    copy(incoming, response).catch((error: { $metadata?: { httpStatusCode?: number }; name: string }) => {
      response.writeHead(error.$metadata?.httpStatusCode ?? 500).end(`<Error><Code>${error.name}</Code></Error>`)
    })
  }).listen(0, '127.0.0.1')
  t.teardown(async () => {
    client.destroy()
    server.close().closeAllConnections()
  })
  await once(server, 'listening')
  store.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return store
}
