import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Scope } from './postgres.ts'

/** A session with the server, and its current client. */
interface Session {
  socket: Socket
  client: Socket | undefined
  unread: Buffer
}

/**
 * A pooler in front of a database, like PgBouncer in transaction mode. Each client signs in with a new session. Then
 * each transaction uses the session that was freed last. Returns the database’s URL through it.
 */
export async function transactionPooler(t: Scope, databaseUrl: string): Promise<string> {
  const target = new URL(databaseUrl)
  const free: Session[] = []
  const waiting: { client: Socket; data: Buffer }[] = []
  const sockets = new Set<Socket>()

  function release(session: Session): void {
    session.client = undefined
    free.push(session)
    const next = waiting.shift()
    if (next) serve(next.client, next.data)
  }

  const serving = new Map<Socket, Session>()
  function serve(client: Socket, data: Buffer): void {
    const session = serving.get(client) ?? free.pop()
    if (!session) {
      waiting.push({ client, data })
      return
    }
    session.client = client
    serving.set(client, session)
    session.socket.write(data)
  }

  /** Forwards the server’s data. `ReadyForQuery` outside of a transaction frees the session. */
  function answered(session: Session, data: Buffer): void {
    const { client } = session
    client?.write(data)
    let rest = Buffer.concat([session.unread, data])
    let isOver = false
    while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
      const length = rest.readInt32BE(1) + 1
      isOver = rest[0] === 0x5a && rest[5] === 0x49
      rest = rest.subarray(length)
    }
    session.unread = rest
    if (!isOver || !client) return
    serving.delete(client)
    release(session)
  }

  const server = createServer((client) => {
    const session: Session = { socket: connect(Number(target.port), target.hostname), client, unread: Buffer.alloc(0) }
    serving.set(client, session)
    session.socket.on('data', (data) => answered(session, data))
    client.on('data', (data) => {
      // `Terminate` ends only the client.
      if (data[0] === 0x58) client.end()
      else serve(client, data)
    })
    for (const socket of [client, session.socket]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port: String(port) }).href
}
