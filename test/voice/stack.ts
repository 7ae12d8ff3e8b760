import '../support/voice-environment.ts'
import { type ChildProcess, spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { newId } from '#lib/ids.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as numbers from '#sql/voice/numbers.ts'
import { getTasksOfPool } from '#tasks/index.ts'
import { createCallRecords } from '#tasks/voice/rules/call-records.ts'
import { startFleet } from '../../workers/runtime/fleet.ts'
import { openSwitchboard, type SwitchboardOptions } from '../../workers/voice/switchboard.ts'
import { readTrunks, type Trunk } from '../../workers/voice/trunk.ts'
import { testDatabase } from '../support/database.ts'
import { type Ask, type Reply, type TestScope, testIngress, testOrg } from '../support/ingress.ts'
import { freePort as freeTcpPort } from '../support/postgres.ts'
import { until } from '../support/until.ts'

/** The numbers of the tests: Estonian mobiles and a number of the organisation's own. */
export const [annNumber, bobNumber, ownNumber] = ['+37251000001', '+37252000002', '+3726000001']

/**
 * Returns a port of 127.0.0.1 that is free for UDP and for TCP: a telephone uses either. The port is below the range from which the
 * kernel takes ports for connections.
 */
export async function freePort(): Promise<number> {
  for (let left = 20; left > 0; left--) {
    const port = await freeTcpPort()
    const socket = createSocket('udp4').bind(port, '127.0.0.1')
    const isFree = await once(socket, 'listening').then(
      () => true,
      () => false,
    )
    socket.close()
    if (isFree) return port
  }
  throw new Error('No port is free for both UDP and TCP.')
}

/** A telephone: sipp with one of the scenarios of this folder, on a port of its own. */
export interface Phone {
  port: number
  process: ChildProcess
  /** Its exit code once it has seen `calls` calls through: 0 when each went as the scenario says. */
  ended: Promise<number>
  /** What it complained about. */
  errors(): string
}

/** Starts a telephone for so many calls. */
export async function phone(
  t: TestScope,
  scenario: string,
  {
    calls = 1,
    seconds = 60,
    tcp = false,
    audioPort,
  }: { calls?: number; seconds?: number; tcp?: boolean; audioPort?: number } = {},
): Promise<Phone> {
  const own = await freePort()
  const file = fileURLToPath(new URL(`./scenarios/${scenario}.xml`, import.meta.url))
  const options = [
    '-sf',
    file,
    '-i',
    '127.0.0.1',
    '-p',
    String(own),
    '-m',
    String(calls),
    '-nostdin',
    ...(tcp ? ['-t', 't1'] : []),
    ...(audioPort === undefined ? [] : ['-key', 'rtp_port', String(audioPort)]),
  ]
  const sipp = ['--pdeathsig=KILL', '--', 'sipp', '127.0.0.1', ...options, '-timeout', `${seconds}s`, '-timeout_error']
  const child = spawn('setpriv', sipp, { stdio: ['ignore', 'ignore', 'pipe'] })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text
  })
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal)
  t.teardown(async () => {
    child.kill('SIGKILL')
    await ended
  })
  await until(() => isBound(own, tcp), { every: 10, what: `sipp is on port ${own}` })
  return { port: own, process: child, ended, errors: () => errors }
}

/** Whether somebody has a UDP port, or listens on a TCP one, by the kernel's table: to try it would keep the telephone from it. */
async function isBound(port: number, tcp: boolean): Promise<boolean> {
  const hex = port.toString(16).toUpperCase().padStart(4, '0')
  return (await readFile(`/proc/net/${tcp ? 'tcp' : 'udp'}`, 'utf8'))
    .split('\n')
    .some((line) => line.includes(`:${hex} 00000000:0000`))
}

/** The trunks of a test: one for each of the two telephones. */
export function trunksTo(a: number, b: number, password?: string): [Trunk, ...Trunk[]] {
  const trunks = [`a=sip:alice@127.0.0.1:${a};prefix=${annNumber}`, `b=sip:127.0.0.1:${b};prefix=${bobNumber}`]
  return readTrunks(trunks, password ? [`a=${password}`] : []) as [Trunk, ...Trunk[]]
}

/** Starts a worker of the pool `voice` in this process; returns how to stop it. */
export async function startSip(
  t: TestScope,
  databaseUrl: string,
  db: DatabasePool,
  trunks: [Trunk, ...Trunk[]],
  options: Partial<SwitchboardOptions> = {},
): Promise<() => Promise<void>> {
  const workerId = newId()
  const switchboard = await openSwitchboard({
    records: createCallRecords(db, workerId),
    trunks,
    host: '127.0.0.1',
    port: 0,
    publicAddress: '127.0.0.1',
    capacity: 500,
    callsPerSecond: 100,
    // A look at a trunk is a call in the eyes of sipp.
    lookMs: 100,
    leaseMs: 60_000,
    checkMs: 0,
    ...options,
  })
  const fleet = await startFleet(
    databaseUrl,
    [
      {
        pool: 'voice',
        workerId,
        settings: { concurrency: 8, fetchAhead: 0 },
        tasks: getTasksOfPool('voice'),
        tools: { calls: switchboard },
      },
    ],
    { lease: 60_000, sweep: 500, grace: 1_000 },
    (why) => t.fail(why),
  )
  let stopped: Promise<void> | undefined
  const stopOnce = () => {
    stopped ??= fleet.stop(() => switchboard.close())
    return stopped
  }
  t.teardown(stopOnce)
  return stopOnce
}

/** The voice area: database, ingress and an organisation with a number. */
export async function voiceStack(t: TestScope, database?: { url: string; db: DatabasePool }) {
  const { url: databaseUrl, db } = database ?? (await testDatabase(t))
  const ingress = await testIngress(t, db, [], { only: ['voice', 'console'] })
  const { org, keys } = await testOrg(db, ['voice:call'])
  const own = { id: newId(), org_id: org.id, number: ownNumber, friendly_name: 'Office', country: 'EE' }
  await numbers.insert(db, { ...own, type: 'local' })
  const ask = (request: string, options?: Ask): Promise<Reply> => ingress.ask(request, { key: keys.main, ...options })
  return {
    db,
    databaseUrl,
    url: ingress.url,
    orgId: org.id,
    key: keys.main,
    ask,
    /** Asks for a call between the two telephones; returns its id. */
    async call(facts: Record<string, unknown> = {}): Promise<string> {
      const body = { from: annNumber, to: bobNumber, ...facts }
      const reply = await ask('POST /v1/voice/click-to-call', { body })
      if (reply.status !== 200) throw new Error(`${reply.status} ${reply.text}`)
      return reply.body.id
    },
    /** Waits until a call has a status, or is over if none is named. */
    async reaches(id: string, status?: string) {
      return await until(
        async () => {
          const { body } = await ask(`GET /v1/voice/calls/${id}`)
          return (status ? body.status === status : body.ended_at !== null) && body
        },
        { timeout: 15_000, what: `call ${id} is ${status ?? 'over'}` },
      )
    },
  }
}
