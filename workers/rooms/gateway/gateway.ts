import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { Id } from '#lib/ids.ts'
import { log } from '#lib/log.ts'
import { ClientSocket } from './client-socket.ts'
import type { Member } from './member.ts'
import { type ClientMessage, subprotocol } from './messages.ts'
import type { Room } from './room.ts'

/** Milliseconds that a connection has to say who it is, and connections that have not said it yet. */
const [joinMs, mostStrangers] = [5_000, 500]

/** Bytes of a message: a session description, which is the longest, with all that JSON adds. */
const mostBytes = 256 * 1024

/** Somebody who has come in. */
export interface Entered {
  room: Room
  member: Member
}

/** Where clients' signalling is served. */
export interface Gateway {
  port: number
  close(): Promise<void>
}

/** Serves `/rooms/{roomId}` to WebSocket clients; `enter` lets one in, or closes the socket. */
export async function openGateway(options: {
  host: string
  port: number
  enter(roomId: string, token: string, socket: ClientSocket): Promise<Entered | undefined>
}): Promise<Gateway> {
  const server = createServer((request, answer) => {
    const isHealth = request.url === '/healthz'
    answer.writeHead(isHealth ? 200 : 404, { 'content-type': 'text/plain' }).end(isHealth ? 'ok\n' : 'no such page\n')
  })
  server.requestTimeout = 10_000
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: mostBytes,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has(subprotocol) ? subprotocol : false),
  })
  let strangers = 0
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => {})
    const roomId = /^\/rooms\/([^/?]+)$/.exec(request.url ?? '')?.[1] ?? ''
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim())
    const refusal = !Id.safeParse(roomId).success
      ? '404 Not Found'
      : !offered.includes(subprotocol)
        ? '400 Bad Request'
        : strangers >= mostStrangers && '503 Service Unavailable'
    if (refusal) return socket.end(`HTTP/1.1 ${refusal}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
    sockets.handleUpgrade(request, socket, head, (client) => {
      strangers += 1
      attend(client, roomId, options.enter, () => {
        strangers -= 1
      })
    })
  })
  const port = await listening(server, options.host, options.port)
  return {
    port,
    async close() {
      for (const client of sockets.clients) client.close(4011, 'going away')
      const closed = once(server, 'close')
      server.close()
      setTimeout(() => {
        for (const client of sockets.clients) client.terminate()
        server.closeAllConnections()
      }, 300).unref()
      await closed
    },
  }
}

/** A client from its first message to its end. */
function attend(
  client: WebSocket,
  roomId: string,
  enter: (roomId: string, token: string, socket: ClientSocket) => Promise<Entered | undefined>,
  known: () => void,
): void {
  let entering: Promise<Entered | undefined> | undefined
  let isKnown = false
  const become = () => {
    if (!isKnown) known()
    isKnown = true
    clearTimeout(timer)
  }
  const hear = async (message: ClientMessage) => {
    if (message.type === 'join') {
      if (entering) return socket.send({ type: 'error', code: 'bad_request', message: 'you have joined' })
      clearTimeout(timer)
      entering = enter(roomId, message.token, socket).finally(become)
    }
    if (!entering) return socket.close('token', 'join comes first')
    const entered = await entering
    if (entered && message.type !== 'join') await entered.room.hear(entered.member, message)
  }
  const socket = new ClientSocket(client, {
    message: (message) => {
      hear(message).catch((error) => {
        log.error({ err: error, room: roomId }, 'a client could not be let in')
        socket.close('goingAway', 'try again')
      })
    },
    end: () => {
      become()
      entering?.then(
        (entered) => entered?.room.putOut(entered.member, undefined, 'connection_lost'),
        () => {},
      )
    },
  })
  const timer = setTimeout(() => socket.close('token', 'no token came'), joinMs)
}

async function listening(server: Server, host: string, port: number): Promise<number> {
  server.listen({ host, port })
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
