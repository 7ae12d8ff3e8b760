import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import t from 'tap'
import { openPool } from '#sql/db.ts'
import { ensureCluster, type Scope } from '../support/postgres.ts'

t.test('a server that shuts down while a pool is opened throws nothing at the process', async (t) => {
  const pool = await openPool(await shutDownAfterTypes(t, await ensureCluster()))
  t.teardown(() => pool.end())
  t.pass('the pool stands; its next query tells')
})

/** Returns the URL of a server that reports its types and shuts down in the same moment. */
async function shutDownAfterTypes(t: Scope, url: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const server = createServer((client) => {
    const real = connect(Number(port), hostname)
    client.on('error', () => {}).on('close', () => real.destroy())
    real.on('error', () => {}).on('close', () => client.destroy())
    client.pipe(real)
    real.on('data', (bytes) => {
      if (bytes.includes('timestamptz')) client.end(Buffer.concat([bytes, shutDown]))
      else client.write(bytes)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => void server.close())
  return Object.assign(new URL(url), { host: `127.0.0.1:${(server.address() as AddressInfo).port}` }).href
}

const fields = Buffer.from('SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0')
const head = Buffer.alloc(5, 'E')
head.writeInt32BE(fields.length + 4, 1)
const shutDown = Buffer.concat([head, fields])
