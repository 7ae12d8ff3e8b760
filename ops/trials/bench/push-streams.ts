import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openPool } from '#sql/db.ts'
import { createStreamCredentials } from '../../../ingress/push/streams/token.ts'
import type { Benchmark } from './benchmark.ts'
import { type Child, startChild } from './child.ts'
import { cpuSum, measureTreeCpu } from './cpu.ts'
import { createBenchmarkDatabase, createBenchmarkFolder } from './ground.ts'
import { createStreamUsers, type StreamUsers, sendToAll } from './push-streams/people.ts'

/**
 * Maximum CPU time of the ingress in microseconds per event and stream: for one message to many, and for a message to
 * one.
 */
const mostMicroseconds = { one: 16, many: 24 }

export const pushStreams: Benchmark = {
  summary: 'CPU per message and event stream, compared with a plain write',
  options: {
    streams: { about: 'open streams', default: 1_000 },
    messages: { about: 'messages to each of them per round', default: 80 },
    rounds: { about: 'rounds', default: 3 },
  },
  async run({ streams = 1_000, messages = 80, rounds = 3 }, ends) {
    const folder = await createBenchmarkFolder(ends)
    const url = await createBenchmarkDatabase(folder, ends)
    const db = await openPool(url, 2)
    ends.defer(() => db.end())
    const secret = randomBytes(16).toString('hex')
    const raw = startChild('./push-streams/raw.ts', {})
    const server = startChild('./push-streams/serve.ts', { url, secret }, join(folder, 'ingress.log'))
    const [one, many] = [await createStreamUsers(db, streams, 1), await createStreamUsers(db, streams, streams)]
    const paths = (people: StreamUsers) =>
      people.streams.map(({ installationId }) => pathOf({ installationId, keyId: people.keyId }, secret))
    const [bare, ours] = [await started(ends, raw), await started(ends, server)]
    const file = (name: string) => join(folder, `${name}.json`)
    const toAll = await follow(
      ends,
      bare,
      file('bare'),
      Array.from({ length: streams }, () => '/'),
    )
    const toOne = await follow(ends, ours, file('one'), paths(one))
    const toMany = await follow(ends, ours, file('many'), paths(many))
    const found: { raw: number; one: number; many: number }[] = []
    for (let round = 0; round < rounds; round++) {
      found.push({
        raw: await cost(toAll, messages, streams, () => fetch(`http://127.0.0.1:${bare.port}`, { method: 'POST' })),
        one: await cost(toOne, messages, streams, () => sendToAll(db, one)),
        many: await cost(toMany, Math.ceil(messages / 4), streams, () => sendToAll(db, many)),
      })
      const last = found.at(-1) as (typeof found)[number]
      console.log(
        `  ${Object.entries(last)
          .map(([name, micros]) => `${name} ${micros.toFixed(1)} µs`)
          .join(', ')}`,
      )
    }
    return { comparisons: compare(found), notes: notesOf(streams, rounds), rounds: found }
  },
}

interface Server {
  child: Child
  port: number
}

interface StreamProcesses {
  server: Child
  client: Child
}

const pathOf = (about: { installationId: string; keyId: string }, secret: string): string => {
  const { url, token } = createStreamCredentials('', about, secret)
  return `${url}?token=${token}`
}

async function started(ends: AsyncDisposableStack, child: Child): Promise<Server> {
  ends.defer(() => child.end())
  return { child, port: (await child.next<{ port: number }>()).port }
}

async function follow(
  ends: AsyncDisposableStack,
  { child, port }: Server,
  file: string,
  paths: string[],
): Promise<StreamProcesses> {
  await writeFile(file, JSON.stringify(paths))
  const client = startChild('./push-streams/follow.ts', { port, paths: file })
  ends.defer(() => client.end())
  await client.next()
  return { server: child, client }
}

async function cost(
  { server, client }: StreamProcesses,
  messages: number,
  streams: number,
  send: () => Promise<unknown>,
): Promise<number> {
  const pid = server.process.pid ?? 0
  const before = cpuSum(await measureTreeCpu(pid))
  for (let i = 0; i < messages; i++) {
    await send()
    await client.next()
  }
  return ((cpuSum(await measureTreeCpu(pid)) - before) / (messages * streams)) * 1e6
}

const of = (found: readonly Record<'raw' | 'one' | 'many', number>[], name: 'raw' | 'one' | 'many') =>
  Math.min(...found.map((round) => round[name]))

const compare = (found: Parameters<typeof of>[0]) => [
  {
    what: 'an event of one message to many devices, compared with a plain server',
    unit: 'µs',
    limit: of(found, 'raw'),
    product: of(found, 'one'),
    demand: { productAtMost: mostMicroseconds.one },
  },
  {
    what: 'an event of a separate message, compared with a plain server that writes one to all',
    unit: 'µs',
    limit: of(found, 'raw'),
    product: of(found, 'many'),
    demand: { productAtMost: mostMicroseconds.many },
  },
]

const notesOf = (streams: number, rounds: number): string[] => [
  `the minimum of ${rounds} rounds, because other load can only add CPU; ${streams} streams of each kind open; CPU of only the ingress, measured by the kernel`,
]
