import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Scope } from './postgres.ts'

// biome-ignore lint/suspicious/noExplicitAny: messages of every shape.
type Message = Record<string, any>

/** A gateway of a room that does as the test says; it has no media. */
export interface RoomGateway {
  /** Messages of all clients, in order. */
  heard: Message[]
  /** Clients that are connected. */
  clients: Set<WebSocket>
  /** What is answered to those who join; a number closes them with it. */
  admits: Message | number
  tell(message: Message): void
  /** Cuts all clients off, as when its process is killed. */
  cut(): void
  /** Answers a page's question for the room's place. */
  serve(page: Page): Promise<void>
}

/** Somebody, as a gateway tells of them. */
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

/** What a gateway says to one who has joined. */
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

/** Opens one on loopback. */
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
