import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openPool } from '#sql/db.ts'
import { databaseFirst } from './authentication.ts'
import { createSink } from './sink.ts'
import { type Bounds, openStore } from './store.ts'
import { createWeb } from './web.ts'

export interface MailCatcherOptions {
  /** Where its page is; mail is taken on loopback alone. */
  host: string
  /** The folder that holds the messages. */
  dir: string
  /** 0 picks a free one. */
  smtpPort: number
  httpPort: number
  bounds: Bounds
  /** Has the DKIM keys of Millrace's own domains; without, only DNS is asked. */
  databaseUrl: string | undefined
}

/** A mail catcher that is listening. */
export interface MailCatcher {
  /** Of its page. */
  url: string
  smtpPort: number
  close(): Promise<void>
}

/** Starts an SMTP server that takes every mail and delivers none, and a web page of what it took. */
export async function startMailCatcher(options: MailCatcherOptions): Promise<MailCatcher> {
  const { host, dir, bounds, databaseUrl } = options
  const store = await openStore(dir, bounds)
  const sink = createSink(store, (error) => process.stderr.write(`a mail could not be kept: ${error.message}\n`))
  // A client that goes away is no fault of ours.
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

/** A database that is opened when it is first asked for; one that is away is tried again. */
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
