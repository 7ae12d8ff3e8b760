import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openPool } from '#sql/db.ts'
import { databaseFirst } from './authentication.ts'
import { createSink } from './sink.ts'
import { type Bounds, openStore } from './store.ts'
import { createWeb } from './web.ts'

export interface MailCatcherOptions {
  host: string
  dir: string
  smtpPort: number
  httpPort: number
  bounds: Bounds
  /** Database with the DKIM keys of Millrace’s domains. Without it, only DNS is used. */
  databaseUrl: string | undefined
}

export interface MailCatcher {
  url: string
  smtpPort: number
  close(): Promise<void>
}

export async function startMailCatcher(options: MailCatcherOptions): Promise<MailCatcher> {
  const { host, dir, bounds, databaseUrl } = options
  const store = await openStore(dir, bounds)
  const sink = createSink(store, (error) => process.stderr.write(`an email could not be stored: ${error.message}\n`))
  sink.on('error', () => {})
  const database = lazy(databaseUrl)
  const web = createWeb(store, databaseFirst(database.open), host)
  const smtpPort = await listen(sink.server as Server, '127.0.0.1', options.smtpPort)
  const port = await listen(web, host, options.httpPort)
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    smtpPort,
    async close() {
      const closed = once(web, 'close')
      web.close()
      web.closeAllConnections()
      await Promise.all([closed, new Promise<void>((done) => void sink.close(done))])
      await database.close()
    },
  }
}

function lazy(url: string | undefined) {
  let pool: ReturnType<typeof openPool> | undefined
  return {
    open() {
      if (url === undefined) return undefined
      pool ??= openPool(url, 1)
      pool.catch(() => {
        pool = undefined
      })
      return pool
    },
    close: async () => await pool?.then((db) => db.end()).catch(() => {}),
  }
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  server.listen(port, host)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
