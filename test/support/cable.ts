import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Scope } from './postgres.ts'

/** A connection to a server that the test can cut. */
export interface Cable {
  /** The server’s URL through this connection. */
  url: string
  /** Keeps connections open but forwards nothing. */
  hang(): void
  /** Ends connections and rejects new ones. */
  cut(): void
  /** Forwards new connections. */
  mend(): void
}

/** Creates a cable to the server of a URL. */
export async function layCable(t: Scope, to: string): Promise<Cable> {
  const target = new URL(to)
  const ends = new Set<Socket>()
  let isCut = false
  const server = createServer((near) => {
    if (isCut) return near.destroy()
    const far = connect(Number(target.port), target.hostname)
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      ends.add(end)
      end.on('error', () => {})
      end.on('close', () => {
        ends.delete(end)
        other.destroy()
      })
      end.pipe(other)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const breakAll = () => {
    for (const end of ends) end.destroy()
  }
  t.teardown(async () => {
    breakAll()
    server.close()
    await once(server, 'close')
  })
  const url = new URL(to)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: url.href,
    hang() {
      for (const end of ends) end.unpipe().pause()
    },
    cut() {
      isCut = true
      breakAll()
    },
    mend() {
      isCut = false
    },
  }
}
