import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Storage } from '#lib/storage/storage.ts'
import { startObjectStore } from '../../ops/embedded/object-store/server.ts'
import type { TestScope } from '../support/ingress.ts'

export interface Got {
  path: string
  headers: Record<string, string>
  body: Buffer
}

/** A server of a customer on loopback that takes POST requests. */
export interface Receiver {
  url: string
  got: Got[]
  /** Answers requests from now on. Default: 200 with `{}`. */
  answer: (request: Got, res: ServerResponse, req: IncomingMessage) => void
}

export async function startReceiver(t: TestScope): Promise<Receiver> {
  const http = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    const request = { path: req.url ?? '', headers: req.headers as Record<string, string>, body: Buffer.concat(chunks) }
    receiver.got.push(request)
    receiver.answer(request, res, req)
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  t.teardown(async () => {
    http.closeAllConnections()
    http.close()
  })
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    got: [],
    answer: (_, res) => void res.setHeader('content-type', 'application/json').end('{}'),
  }
  return receiver
}

/** The object store of a customer. */
export async function startBucket(t: TestScope) {
  const dir = await mkdtemp(join(tmpdir(), 'millrace-stream-'))
  const keys = { accessKey: 'AKIDSTREAM', secretKey: 'of/the+stream' }
  const options = { host: '127.0.0.1', port: 0, dir, region: 'eu-test-1', buckets: ['logs'], ...keys }
  const store = await startObjectStore(options)
  t.teardown(async () => {
    await store.close()
    await rm(dir, { recursive: true, force: true })
  })
  const at = { endpoint: store.url, region: 'eu-test-1', bucket: 'logs' }
  const storage = new Storage({ ...at, publicEndpoint: store.url, ...keys })
  return { at, keys, storage, dir, files: () => readdir(dir, { recursive: true }) }
}
