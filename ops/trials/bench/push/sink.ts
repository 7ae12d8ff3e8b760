/**
 * The servers of the three providers at the speed of Node. They accept everything and parse only the device token if
 * they count.
 */
import { createSecureServer } from 'node:http2'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { sendResult } from '../child.ts'

export interface SinkSettings {
  cert: string
  key: string
  counting?: boolean
}

export interface DeviceCounts {
  devices: number
  again: string[]
}

export interface SinkPorts {
  apns: number
  fcm: number
  webpush: number
}

const { cert, key, counting = false } = JSON.parse(process.argv[2] ?? '{}') as SinkSettings
const token = JSON.stringify({ access_token: 'any', expires_in: 3_600 })
const name = JSON.stringify({ name: 'projects/bench/messages/1' })

const received = new Map<string, number>()
const count = (device: string) => {
  if (counting) received.set(device, (received.get(device) ?? 0) + 1)
}
const counts = (): DeviceCounts => ({
  devices: received.size,
  again: [...received].filter(([, times]) => times > 1).map(([device]) => device),
})

const apns = createSecureServer({ cert, key, maxSessionMemory: 64, settings: { maxConcurrentStreams: 1_000 } })
apns.on('stream', (stream, headers) => {
  count(headers[':path']?.split('/').at(-1) ?? '')
  stream.resume()
  stream.on('error', () => {})
  stream.on('end', () => {
    stream.respond({ ':status': 200, 'apns-id': '7b9e2f0a-4d4e-4f0e-9a3e-1d2c3b4a5f60' }, { endStream: true })
  })
})
const fcm = createServer({ cert, key, keepAliveTimeout: 60_000 }, (req, res) => {
  let body = ''
  if (counting) req.on('data', (part) => (body += part))
  else req.resume()
  req.on('end', () => {
    if (counting && req.url !== '/token') count(JSON.parse(body).message.token)
    res.writeHead(200, { 'content-type': 'application/json' })
    res.end(req.url === '/token' ? token : name)
  })
})
const webpush = createServer({ cert, key, keepAliveTimeout: 60_000 }, (req, res) => {
  req.resume()
  req.on('end', () => {
    if (req.url === '/received') return void res.end(JSON.stringify(counts()))
    count(req.url?.split('/').at(-1) ?? '')
    res.writeHead(201, { location: '/message/1', 'content-length': 0 })
    res.end()
  })
})

async function portOf(server: typeof apns | typeof fcm): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

sendResult({ apns: await portOf(apns), fcm: await portOf(fcm), webpush: await portOf(webpush) } satisfies SinkPorts)
