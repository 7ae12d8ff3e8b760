import { connect, createServer, type Server, type Socket } from 'node:net'
import type { Area } from '../../ingress/http/area.ts'
import type { CellConnectionLimits } from '../../ingress/http/cells/passage.ts'
import { provide } from '../../ingress/http/container.ts'
import { bindPort } from '../../ingress/http/server.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import type { DatabasePool } from '../../sql/db.ts'
import { testDatabase } from './database.ts'
import { type TestIngress, type TestScope, testIngress } from './ingress.ts'

/** A cell under test: a database and an ingress. Other cells reach it through a door that can be closed or held. */
export interface TestCell extends TestIngress {
  name: string
  db: DatabasePool
  door: Door
}

interface Door {
  url: string
  opened(): number
  /** Rejects and ends connections. */
  shut(): Promise<void>
  /** Accepts connections and never responds. */
  hold(): void
  open(): Promise<void>
}

/** Starts cells that know each other. Each serves the areas from `areasOf`. */
export async function testCells<Name extends string>(
  t: TestScope,
  names: readonly Name[],
  areasOf: (name: Name) => Area[],
  limits: Partial<CellConnectionLimits> = {},
): Promise<Record<Name, TestCell>> {
  const doors = await Promise.all(names.map(async (name) => [name, await openDoor(t)] as const))
  const byName = new Map(
    doors.map(([name, { door }]) => [name as string, { url: door.url, hosts: [`${name}.cells.test`], full: false }]),
  )
  const cells = await Promise.all(
    doors.map(async ([name, { door, leadTo }]) => {
      const { db } = await testDatabase(t)
      const ingress = await testIngress(t, db, areasOf(name), {
        only: ['service'],
        services: [provide(signingSecret, 's'.repeat(32))],
        keyCacheMs: 50,
        cells: { cells: { own: name, byName }, limits: { waiting: 64, streams: 200, timeoutMs: 5_000, ...limits } },
      })
      leadTo(Number(new URL(ingress.url).port))
      return [name, { ...ingress, name, db, door }] as const
    }),
  )
  return Object.fromEntries(cells) as unknown as Record<Name, TestCell>
}

async function openDoor(t: TestScope): Promise<{ door: Door; leadTo(port: number): void }> {
  const sockets = new Set<Socket>()
  let [target, held, opened] = [0, false, 0]
  const take = (client: Socket) => {
    opened++
    sockets.add(client)
    client.once('close', () => sockets.delete(client)).on('error', () => {})
    if (held) return
    const way = connect(target, '127.0.0.1').on('error', () => client.destroy())
    client.once('close', () => way.destroy())
    way.once('close', () => client.destroy())
    client.pipe(way).pipe(client)
  }
  let server: Server = createServer(take)
  await bindPort(server, '127.0.0.1', 0)
  const { port } = server.address() as { port: number }
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  const shut = async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    if (!server.listening) return
    server.close(() => resolve())
    cut()
    await promise
  }
  t.teardown(shut)
  const door: Door = {
    url: `http://127.0.0.1:${port}`,
    opened: () => opened,
    shut,
    hold() {
      held = true
      cut()
    },
    async open() {
      held = false
      cut()
      if (server.listening) return
      server = createServer(take)
      await bindPort(server, '127.0.0.1', port)
    },
  }
  return {
    door,
    leadTo(port) {
      target = port
    },
  }
}
