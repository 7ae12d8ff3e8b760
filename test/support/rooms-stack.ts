import { once } from 'node:events'
import { WebSocket } from 'ws'
import type { TestScope } from './ingress.ts'
import { until } from './until.ts'
import { type VideoStack, videoStack, type Workers } from './video-stack.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look at every field.
type Said = any

export interface Peer {
  socket: WebSocket
  said: Said[]
  /** How the connection ended. */
  closed: Promise<{ code: number; reason: string }>
  send(message: object | string): void
  /** Waits for a message, including earlier ones. */
  hears(type: string, matches?: (message: Said) => boolean): Promise<Said>
}

/** A video stack that has rooms. */
export interface RoomsStack extends VideoStack {
  startRooms(environment?: Record<string, string>): Promise<Workers>
  makeRoom(facts?: object): Promise<string>
  /** Returns a room’s token from the API. */
  token(roomId: string, identity: string, facts?: object): Promise<Said>
  /** Returns the URL for clients. Waits until a worker accepts rooms. */
  place(roomId: string, token: string): Promise<string>
  /** Opens a connection that has not sent anything. */
  connect(url: string, options?: { autoPong?: boolean }): Promise<Peer>
  /** Joins a room with `connect`. */
  join(roomId: string, identity: string, facts?: object): Promise<Peer & { self: Said; token: string }>
  /** Returns the participants according to the API. */
  present(roomId: string): Promise<Said[]>
}

/** Starts everything except the workers, unless a stack is given. */
export async function roomsStack(t: TestScope, given?: VideoStack): Promise<RoomsStack> {
  const stack = given ?? (await videoStack(t))
  const { ask } = stack
  async function token(roomId: string, identity: string, facts: object = {}) {
    const issued = await ask(`POST /v1/stream/rooms/${roomId}/tokens`, { body: { identity, ...facts } })
    if (issued.status !== 201) throw new Error(issued.text)
    return issued.body
  }
  const place = (roomId: string, text: string) =>
    until(
      async () => {
        const told = await stack.ingress.ask(`GET /v1/stream/rooms/${roomId}/connect?token=${text}`)
        if (told.status === 503) return undefined
        if (told.status !== 200) throw new Error(told.text)
        return told.body.url as string
      },
      { timeout: 20_000, what: 'a worker takes rooms' },
    )
  const connect = async (url: string, options = {}) => {
    const peer = peerOf(new WebSocket(url, 'millrace.room.1', options))
    t.teardown(async () => peer.socket.terminate())
    await once(peer.socket, 'open')
    return peer
  }
  return {
    ...stack,
    startRooms: (environment = {}) =>
      stack.startWorkers({ LOG_LEVEL: 'warn', ROOMS_ICE_PORTS: '11000-11999', ...environment }, 'rooms,core'),
    async makeRoom(facts = {}) {
      const made = await ask('POST /v1/stream/rooms', { body: { name: 'Stand-up', ...facts } })
      if (made.status !== 201) throw new Error(made.text)
      return made.body.roomId
    },
    token,
    place,
    connect,
    async join(roomId, identity, facts) {
      const issued = await token(roomId, identity, facts)
      const peer = await connect(await place(roomId, issued.token))
      peer.send({ type: 'join', token: issued.token })
      const { self } = await peer.hears('joined')
      return { ...peer, self, token: issued.token }
    },
    present: async (roomId) => (await ask(`GET /v1/stream/rooms/${roomId}/participants`)).body.data,
  }
}

function peerOf(socket: WebSocket): Peer {
  const said: Said[] = []
  let code: number | undefined
  socket.on('message', (data) => said.push(JSON.parse(String(data))))
  socket.on('error', () => {})
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (how, reason) => {
      code = how
      resolve({ code: how, reason: String(reason) })
    })
  })
  return {
    socket,
    said,
    closed,
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    hears: (type, matches = () => true) =>
      until(
        () => {
          const found = said.find((message) => message.type === type && matches(message))
          if (!found && code !== undefined)
            throw new Error(`closed with ${code} before ${type}: ${JSON.stringify(said)}`)
          return found
        },
        { timeout: 15_000, what: `the gateway says ${type}` },
      ),
  }
}
