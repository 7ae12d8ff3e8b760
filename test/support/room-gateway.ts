import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Scope } from './postgres.ts'

// biome-ignore lint/suspicious/noExplicitAny: messages of every shape.
type Message = Record<string, any>

/** A scripted gateway of a room without media. */
export interface RoomGateway {
  /** Messages of all clients in order. */
  heard: Message[]
  /** Connected clients. */
  clients: Set<WebSocket>
  /** Responses to joining clients. A number closes the connection with this code. */
  admits: Message | number
  tell(message: Message): void
  /** Disconnects all clients, as if its process was killed. */
  cut(): void
  /** Responds to a page’s request for the room’s gateway. */
  serve(page: Page): Promise<void>
}

export const participant = (participantId: string, more: Message = {}): Message => ({
  participantId,
  identity: participantId,
  displayName: participantId,
  role: 'participant',
  state: 'joined',
  since: new Date(0).toISOString(),
  hand: null,
  tracks: [],
  ...more,
})

export const joined = (role: string, participants: Message[] = []): Message => ({
  type: 'joined',
  room: { roomId: 'r', name: 'Planning', maxParticipants: 10, record: false },
  self: { ...participant('Me', { role }), can: { publish: role !== 'viewer', moderate: role === 'host', chat: true } },
  participants,
  iceServers: [],
  broadcast: false,
  recording: false,
  settings: { chat: 'all', waitingRoom: false, layout: 'grid' },
  chat: [],
})

export async function roomGateway(t: Scope): Promise<RoomGateway> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, handleProtocols: () => 'millrace.room.1' })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const send = (client: WebSocket, message: Message) => client.send(JSON.stringify(message))
  const gateway: RoomGateway = {
    heard: [],
    clients: server.clients,
    admits: joined('viewer'),
    tell(message) {
      for (const client of server.clients) send(client, message)
    },
    cut() {
      for (const client of server.clients) client.terminate()
    },
    async serve(page) {
      await page.route('**/connect?*', (route) =>
        route.fulfill({
          headers: { 'access-control-allow-origin': '*' },
          json: { url: `ws://127.0.0.1:${port}/rooms/r`, roomId: 'r' },
        }),
      )
    },
  }
  server.on('connection', (client) => {
    client.on('message', (data) => {
      const message = JSON.parse(String(data))
      gateway.heard.push(message)
      if (message.type !== 'join') return message.id && send(client, { type: 'done', id: message.id })
      if (typeof gateway.admits === 'number') client.close(gateway.admits)
      else send(client, gateway.admits)
    })
  })
  t.teardown(async () => {
    gateway.cut()
    server.close()
  })
  return gateway
}
