/** The limit: a server that writes one text to all its streams for each `POST`. Sends its port. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sendResult } from '../child.ts'

const streams = new Set<ServerResponse>()
const text = Buffer.from(`id: 1\nevent: message\ndata: ${JSON.stringify({ body: 'x'.repeat(500) })}\n\n`)
const server = createServer((req, res) => {
  if (req.method === 'POST') {
    for (const stream of streams) stream.write(text)
    res.end()
    return
  }
  res.setHeader('content-type', 'text/event-stream')
  res.write('retry: 3000\n\n')
  streams.add(res)
})
server.listen(0, '127.0.0.1', () => sendResult({ port: (server.address() as AddressInfo).port }))
process.on('SIGTERM', () => process.exit(0))
