import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { createStreamCredentials } from '../../ingress/push/streams/token.ts'
import { type Child, startChild } from '../../ops/trials/bench/child.ts'
import { createStreamUsers, sendToAll } from '../../ops/trials/bench/push-streams/people.ts'
import { testDatabase } from '../support/database.ts'

t.setTimeout(300_000)

const streams = 10_000

/** Megabytes of memory that a process has in use. */
async function megabytes({ process }: Child): Promise<number> {
  const status = await readFile(`/proc/${process.pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024
}

t.test('one ingress holds 10,000 open streams, and each message comes once to each', async (t) => {
  const { db, url } = await testDatabase(t)
  const folder = await mkdtemp(join(tmpdir(), 'millrace-streams-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const secret = randomBytes(16).toString('hex')
  const server = startChild('./push-streams/serve.ts', { url, secret }, join(folder, 'ingress.log'))
  t.teardown(() => server.end())
  const { port } = await server.next<{ port: number }>()
  const empty = await megabytes(server)

  // Persons with many devices, and many with one.
  const people = await createStreamUsers(db, streams, 5_000)
  const paths = people.streams.map(({ installationId }) => {
    const { url: path, token } = createStreamCredentials('', { installationId, keyId: people.keyId }, secret)
    return `${path}?token=${token}`
  })
  await writeFile(join(folder, 'paths.json'), JSON.stringify(paths))
  const began = performance.now()
  const client = startChild('./push-streams/follow.ts', { port, paths: join(folder, 'paths.json') })
  t.teardown(() => client.end())
  t.same(await client.next(), { events: 0 }, 'all are open')
  t.comment(`opened in ${Math.round(performance.now() - began)} ms`)

  for (let sent = 1; sent <= 3; sent++) {
    const begun = performance.now()
    await sendToAll(db, people)
    // One that came twice would make the sum of a later round come too early, and then be more.
    t.same(await client.next(), { events: sent * streams })
    t.comment(`message ${sent} reached all after ${Math.round(performance.now() - begun)} ms`)
  }
  const perStream = ((await megabytes(server)) - empty) * (1024 / streams)
  t.comment(`${perStream.toFixed(0)} KB of memory a stream`)
  t.ok(perStream < 60, 'a stream takes less than 60 KB')

  const log = await readFile(join(folder, 'ingress.log'), 'utf8')
  t.match(log, '/push/v1/stream')
  t.notMatch(log, 'token=', 'no log line has a credential')
  t.notMatch(log, paths[0]?.split('=')[1] as string)
})
