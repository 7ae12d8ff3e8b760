/** Runs an ingress with the trust area, or a plain server with the same database query. Sends its port. */
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { config } from '#lib/config.ts'
import { openPool } from '#sql/db.ts'
import { createApp } from '../../../../ingress/http/app.ts'
import { listen } from '../../../../ingress/http/server.ts'
import { trust } from '../../../../ingress/trust/index.ts'
import { sendResult } from '../child.ts'

const { url, bare } = JSON.parse(process.argv[2] ?? '{}') as { url: string; bare: boolean }
const stop = bare ? await serveBare() : await serveProduct()
process.on('SIGTERM', async () => {
  await stop()
  process.exit(0)
})

async function serveProduct() {
  const db = await openPool(url, config.DATABASE_POOL)
  const app = createApp({ db, areas: [trust] })
  const server = await listen(app, '127.0.0.1', 0)
  sendResult({ port: server.port })
  return async () => {
    await server.close(0)
    await app.close()
    await db.end()
  }
}

async function serveBare() {
  const pool = new pg.Pool({ connectionString: url, max: config.DATABASE_POOL })
  const text =
    'select f.name, e.hash from trust.feeds as f left join trust.entries as e on e.feed_id = f.id and e.prefix = any ($1)'
  const server = createServer(async (req, res) => {
    let body = ''
    for await (const chunk of req.setEncoding('utf8')) body += chunk
    const prefixes = Array.from({ length: 12 }, (_, i) =>
      createHash('sha256').update(`${i}${body}`).digest().readInt32BE(),
    )
    const { rows } = await pool.query({ name: 'look_up', text, values: [prefixes] })
    const reply = JSON.stringify(rows)
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(reply) }).end(reply)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  sendResult({ port: (server.address() as AddressInfo).port })
  return async () => {
    server.closeAllConnections()
    server.close()
    await pool.end()
  }
}
