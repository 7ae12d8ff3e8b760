import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, isIPv6 } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { Id } from '#lib/ids.ts'
import { log } from '#lib/log.ts'
import { createClientAddresses } from '#lib/network/client-address.ts'
import { getNetwork } from '#lib/network/network.ts'
import { runOnlyOnce } from '#lib/once-only.ts'
import { ClientSocket } from './client-socket.ts'
import { type ClientMessage, subprotocol } from './messages.ts'
import { PendingConnections } from './strangers.ts'

/** Timeouts in milliseconds: for a connection to become a WebSocket, and then to send `join`. */
const [upgradeMs, joinMs] = [5_000, 5_000]

/** Maximum size of a message in bytes. The longest message contains a session description with JSON escapes. */
const mostBytes = 256 * 1024

export interface Visit {
  hear(message: ClientMessage): Promise<void>
  gone(): void
}

export interface Gateway {
  port: number
  close(): Promise<void>
}

/** Serves `/rooms/{roomId}` to WebSocket clients. `enter` lets a client join or closes the socket. */
export async function openGateway(options: {
  host: string
  port: number
  /** Proxies whose `X-Forwarded-For` is trusted: addresses or CIDR ranges. */
  trustedProxies: readonly string[]
  enter(roomId: string, token: string, socket: ClientSocket): Promise<Visit | undefined>
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>
}): Promise<Gateway> {
  const limits = { headersTimeout: upgradeMs, requestTimeout: upgradeMs, connectionsCheckingInterval: 1_000 }
  const server = createServer(limits, (request, answer) => {
    if (request.url?.startsWith('/live/')) return void options.answer(request, answer)
    const isHealth = request.url === '/healthz'
    answer.writeHead(isHealth ? 200 : 404, { 'content-type': 'text/plain' }).end(isHealth ? 'ok\n' : 'no such page\n')
  })
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: mostBytes,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has(subprotocol) ? subprotocol : false),
  })
  const strangers = new PendingConnections()
  const addressOf = createClientAddresses(options.trustedProxies)
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => {})
    const roomId = /^\/rooms\/([^/?]+)$/.exec(request.url ?? '')?.[1] ?? ''
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim())
    const refusal = !Id.safeParse(roomId).success
      ? '404 Not Found'
      : !offered.includes(subprotocol) && '400 Bad Request'
    if (refusal) return socket.end(`HTTP/1.1 ${refusal}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
    sockets.handleUpgrade(request, socket, head, (client) => {
      const { ip } = addressOf(request)
      attend(client, roomId, options.enter, (stranger) =>
        strangers.admit(getNetwork(ip, isIPv6(ip) ? 64 : 32), stranger),
      )
    })
  })
  const port = await listening(server, options.host, options.port)
  return {
    port,
    close: runOnlyOnce(async () => {
      for (const client of sockets.clients) client.close(4011, 'going away')
      const closed = once(server, 'close')
      server.close()
      setTimeout(() => {
        for (const client of sockets.clients) client.terminate()
        server.closeAllConnections()
      }, 300).unref()
      await closed
    }),
  }
}

function attend(
  client: WebSocket,
  roomId: string,
  enter: (roomId: string, token: string, socket: ClientSocket) => Promise<Visit | undefined>,
  admit: (stranger: { turnAway(): void }) => () => void,
): void {
  let entering: Promise<Visit | undefined> | undefined
  const hear = async (message: ClientMessage) => {
    if (message.type === 'join') {
      if (entering !== undefined) {
        socket.send({ type: 'error', code: 'bad_request', message: 'you have already joined' })
        return
      }
      clearTimeout(timer)
      known()
      entering = enter(roomId, message.token, socket)
    }
    if (!entering) return socket.close('token', 'the first message must be join')
    const entered = await entering
    if (entered && message.type !== 'join') await entered.hear(message)
  }
  const socket = new ClientSocket(client, {
    message: (message) => {
      hear(message).catch((error) => {
        log.error({ err: error, room: roomId }, 'a client could not join')
        socket.close('goingAway', 'try again')
      })
    },
    end: () => {
      clearTimeout(timer)
      known()
      entering?.then(
        (entered) => entered?.gone(),
        () => {},
      )
    },
  })
  const known = admit({ turnAway: () => socket.close('goingAway', 'too many clients have not joined') })
  const timer = setTimeout(() => socket.close('token', 'no token was sent'), joinMs)
}

async function listening(server: Server, host: string, port: number): Promise<number> {
  server.listen({ host, port })
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
