import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Scope } from '../postgres.ts'
import type { Certificate } from './certificate.ts'

/** A push service like Firefox’s: RFC 8030 for senders, and a WebSocket for the browser, which decrypts messages. */
export interface Autopush {
  /** URL for Firefox: `dom.push.serverURL`. */
  url: string
  /** Assigned endpoints, newest last. */
  endpoints: string[]
  /** Acknowledgement statuses from the browser. 100 means that its worker received the message. */
  codes: number[]
  /** Forgets the browser: when it reconnects, its subscriptions have ended. */
  forget(): void
}

interface Said {
  messageType?: 'hello' | 'register' | 'unregister' | 'ack'
  uaid?: string
  channelID?: string
  updates?: { code?: number }[]
}

export async function startAutopush(t: Scope, { cert, key }: Certificate): Promise<Autopush> {
  const endpoints: string[] = []
  const codes: number[] = []
  const channels = new Map<string, WebSocket>()
  let uaid = randomBytes(16).toString('hex')

  const sender = createServer({ cert, key }, async (req, res) => {
    const body = await buffer(req)
    const channelID = req.url?.split('/').at(-1) ?? ''
    const socket = channels.get(channelID)
    if (!socket) return res.writeHead(410).end()
    const data = body.toString('base64url')
    const version = randomBytes(8).toString('hex')
    const headers = { encoding: req.headers['content-encoding'] }
    socket.send(JSON.stringify({ messageType: 'notification', channelID, version, data, headers }))
    res.writeHead(201, { location: `/message/${version}` }).end()
  })
  sender.listen(0, '127.0.0.1')
  await once(sender, 'listening')

  function answer(socket: WebSocket, { messageType, channelID = '', updates = [] }: Said): object | undefined {
    switch (messageType) {
      case 'hello':
        return { uaid, use_webpush: true, broadcasts: {}, status: 200 }
      case 'register': {
        const endpoint = `https://127.0.0.1:${(sender.address() as AddressInfo).port}/push/${channelID}`
        channels.set(channelID, socket)
        endpoints.push(endpoint)
        return { channelID, pushEndpoint: endpoint, status: 200 }
      }
      case 'unregister':
        channels.delete(channelID)
        return { channelID, status: 200 }
      case 'ack':
        codes.push(...updates.map(({ code = 0 }) => code))
        return undefined
      default:
        return {}
    }
  }

  const sockets = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  await once(sockets, 'listening')
  sockets.on('connection', (socket) => {
    socket.on('message', (text) => {
      const said: Said = JSON.parse(String(text))
      const back = answer(socket, said)
      if (back) socket.send(JSON.stringify({ ...(said.messageType && { messageType: said.messageType }), ...back }))
    })
  })
  t.teardown(async () => {
    for (const socket of sockets.clients) socket.terminate()
    sockets.close()
    sender.closeAllConnections()
    sender.close()
  })
  return {
    url: `ws://127.0.0.1:${(sockets.address() as AddressInfo).port}/`,
    endpoints,
    codes,
    forget() {
      channels.clear()
      uaid = randomBytes(16).toString('hex')
      for (const socket of sockets.clients) socket.terminate()
    },
  }
}
