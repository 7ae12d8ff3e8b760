/** A file server without keys and hashes. PUT streams to a file and syncs it before the response, GET sends it. */
import { createReadStream, createWriteStream } from 'node:fs'
import { rename, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { sendResult } from '../child.ts'

const { folder } = JSON.parse(process.argv[2] ?? '{}') as { folder: string }
let files = 0

const server = createServer(async (request, response) => {
  const path = join(folder, basename(request.url ?? ''))
  try {
    if (request.method === 'PUT') {
      const partial = `${path}.${files++}`
      await pipeline(request, createWriteStream(partial, { flags: 'wx', flush: true }))
      await rename(partial, path)
      response.end()
    } else {
      response.setHeader('content-length', (await stat(path)).size)
      await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), response)
    }
  } catch {
    response.destroy()
  }
})
server.listen(0, '127.0.0.1', () => sendResult((server.address() as AddressInfo).port))
process.once('SIGTERM', () => process.exit(0))
