import t from 'tap'
import { z } from 'zod'
import { firstIdAt, newId } from '#lib/ids.ts'
import { type DatabasePool, sql } from '#sql/db.ts'
import * as connections from '#sql/email/delivery/connections.ts'
import { hasLease } from '#sql/jobs/lease.ts'
import * as broadcasts from '#sql/live/broadcasts.ts'
import * as channels from '#sql/live/channels.ts'
import * as liveSessions from '#sql/live/sessions.ts'
import * as roomHosts from '#sql/rooms/hosts.ts'
import * as rooms from '#sql/rooms/rooms.ts'
import * as calls from '#sql/voice/calls.ts'
import * as switchboards from '#sql/voice/switchboards.ts'
import * as trunks from '#sql/voice/trunks.ts'
import { closeLost } from '#tasks/live/rules/close-lost.ts'
import { testDatabase } from '../support/database.ts'
import { startWorker, type WorkerProcess } from '../support/fleet.ts'
import { testOrg } from '../support/ingress.ts'
import { endLease, leaseholder } from '../support/leaseholder.ts'
import type { Scope } from '../support/postgres.ts'
import { until } from '../support/until.ts'

async function scene(t: Scope) {
  const { url, db } = await testDatabase(t)
  const { org } = await testOrg(db)
  const facts = { slug: 'stage', record: true, dvr_seconds: 0, primary_hash: 'a', backup_hash: 'b', srt_port: null }
  const channel = await channels.insert(db, {
    id: newId(),
    org_id: org.id,
    name: 'Stage',
    srt_passphrase: 'c',
    ...facts,
  })
  const broadcast = await broadcasts.insert(db, { id: newId(), org_id: org.id, channel_id: channel.id, record: true })
  const claimChannel = (worker_id: string) =>
    liveSessions.claim(db, {
      channel_id: channel.id,
      worker_id,
      broadcast_id: broadcast.id,
      origin_url: 'http://origin',
      source: 'primary',
    })
  return { url, db, orgId: org.id, channelId: channel.id, broadcastId: broadcast.id, claimChannel }
}

/** The worker of a process, by its id. */
const workerOf = (db: DatabasePool, { process: { pid } }: WorkerProcess) =>
  db.oneFirst(sql.type(z.object({ id: z.string() }))`select id from jobs.workers where pid = ${pid ?? 0}`)

async function makeRoom(db: DatabasePool, org_id: string): Promise<string> {
  const limits = { max_participants: 9, record: false, empty_timeout_seconds: 60 }
  return (await rooms.insert(db, { id: newId(), org_id, name: 'Stand-up', ...limits })).id
}

async function makeCall(db: DatabasePool, org_id: string): Promise<string> {
  const limits = { ring_timeout_seconds: 30, max_duration_seconds: 60 }
  const call = { id: newId(), org_id, key_id: null, caller_id: '+3726000001', metadata: {}, ...limits }
  return (await calls.insert(db, call, { a: '+37251000001', b: '+37252000002' })).id
}

const board = { address: '127.0.0.1:5060', capacity: 5, calls_per_second: 5 }

/** The only connection to an MX set, which several workers request. */
const connect = async (db: DatabasePool, workerId: string, id = newId()) => {
  const site = { pool: 'transactional', addresses: [''], mxSet: 'mx.example' } as const
  return (await connections.take(db, { ...site, id, most: 1, recovery: 60_000, workerId })).local_address !== null
}

t.test('what a killed worker held another takes at once, however long its lease', async (t) => {
  const { url, db, orgId, claimChannel } = await scene(t)
  const [first, second] = await Promise.all([
    startWorker(t, url, { lease: 60_000 }),
    startWorker(t, url, { lease: 60_000, sweep: 500 }),
  ])
  const [one, other] = [await workerOf(db, first), await workerOf(db, second)]
  const [roomId, callId] = [await makeRoom(db, orgId), await makeCall(db, orgId)]
  const open = (worker_id: string) =>
    roomHosts.claim(db, { room_id: roomId, worker_id, gateway_url: `ws://${worker_id}` })
  for (const id of [one, other]) {
    await roomHosts.register(db, { worker_id: id, gateway_url: `ws://${id}`, load: 0 })
    await switchboards.insert(db, { id, ...board })
    await trunks.note(db, { switchboard_id: id, name: 't', reachable: id === one, rtt_ms: null, last_error: null })
  }
  t.ok(await claimChannel(one))
  t.ok(await open(one))
  t.ok(await calls.claim(db, callId, one))
  t.ok(await connect(db, one))
  t.equal(await claimChannel(other), null)
  t.equal(await open(other), null)
  t.same(await calls.adopt(db, other, 5), [])
  t.notOk(await connect(db, other))
  t.match(await switchboards.readCapacity(db), { boards: 2 })
  t.match(await trunks.latest(db), [{ reachable: true }])

  const killed = Date.now()
  first.process.kill('SIGKILL')
  await until(async () => await claimChannel(other), { what: 'the channel is to be had', every: 50 })
  t.comment(`${Date.now() - killed} ms`)
  t.match(await roomHosts.assign(db, roomId, 9), { worker_id: other })
  t.ok(await open(other))
  t.match(await calls.adopt(db, other, 5), [{ id: callId }])
  t.match(await calls.findChanges(db, one, [callId]), [{ id: callId, taken: true }])
  t.ok(await connect(db, other))
  t.match(await switchboards.readCapacity(db), { boards: 1 })
  t.match(await trunks.latest(db), [{ reachable: false }])
})

t.test('a worker without a lease takes nothing, and what it had is not its own', async (t) => {
  const { db, orgId, channelId, broadcastId, claimChannel } = await scene(t)
  const unregistered = newId()
  t.notOk(await hasLease(db, unregistered))
  t.equal(await claimChannel(unregistered), null)
  const fenced = await leaseholder(db, 'live')
  t.ok(await claimChannel(fenced))
  const callId = await makeCall(db, orgId)
  await switchboards.insert(db, { id: fenced, ...board })
  await db.query(sql.typeAlias('void')`update jobs.workers set state = 'fenced' where id = ${fenced}`)
  const told = { channel_id: channelId, worker_id: fenced, state: 'live', source: 'primary', facts: {} } as const
  t.equal(await liveSessions.renew(db, told, { hasPart: true }), null)
  t.equal(await calls.claim(db, callId, fenced), null)
  const next = await claimChannel(await leaseholder(db, 'live'))
  t.match(next, { broadcast_id: broadcastId, takeovers: 1 })
})

t.test('a broadcast waits for its publisher from when the end of its worker’s lease was seen', async (t) => {
  const { db, broadcastId, claimChannel } = await scene(t)
  const worker = await leaseholder(db, 'live')
  await claimChannel(worker)
  await db.query(sql.typeAlias('void')`
    update jobs.workers set seen_at = now() - interval '2 hours' where id = ${worker}`)
  t.notOk(await hasLease(db, worker))
  t.equal(await closeLost(db, 30), 0, 'nobody has seen it yet, as when Postgres was away')
  await endLease(db, worker, 20)
  t.equal(await closeLost(db, 30), 0)
  await endLease(db, worker, 20)
  t.equal(await closeLost(db, 30), 1)
  t.match(await broadcasts.findAny(db, broadcastId), { end_reason: 'lost' })
})

t.test('a broadcast that its worker gave up waits from then on', async (t) => {
  const { db, channelId, broadcastId, claimChannel } = await scene(t)
  const [worker, other] = [await leaseholder(db, 'live'), await leaseholder(db, 'live')]
  await claimChannel(worker)
  await db.query(sql.typeAlias('void')`update live.sessions set last_part_at = now() - interval '1 hour'`)
  await liveSessions.abandon(db, channelId, other)
  t.equal(await claimChannel(other), null, 'nobody gives up what another has')
  await liveSessions.abandon(db, channelId, worker)
  t.equal(await closeLost(db, 30), 0)
  t.match(await claimChannel(other), { broadcast_id: broadcastId, given_up_at: null })
  await liveSessions.abandon(db, channelId, other)
  await db.query(sql.typeAlias('void')`update live.sessions set given_up_at = given_up_at - interval '31 seconds'`)
  t.equal(await closeLost(db, 30), 1)
})

t.test('what a living worker has lost sight of is given back', async (t) => {
  const { db, channelId, claimChannel, orgId } = await scene(t)
  const [worker, other] = [await leaseholder(db, 'live'), await leaseholder(db, 'live')]
  await claimChannel(worker)
  const roomId = await makeRoom(db, orgId)
  await roomHosts.claim(db, { room_id: roomId, worker_id: worker, gateway_url: 'ws://here' })
  const id = newId()
  await connect(db, worker, id)
  const holder = { workerId: worker, connections: [id], before: firstIdAt(new Date(Date.now() + 1_000)) }
  const forget = async () => {
    await liveSessions.abandonOthers(db, [], worker)
    await roomHosts.releaseOthers(db, [], worker)
    return await connections.releaseLost(db, { ...holder, connections: [] })
  }
  await liveSessions.abandonOthers(db, [channelId], worker)
  t.same(await connections.releaseLost(db, holder), [], 'not what it has')
  t.equal(await claimChannel(other), null)

  t.same(await forget(), [{ pool: 'transactional', mx_set: 'mx.example' }])
  t.equal(await claimChannel(other), null, 'it may have been taken just now')
  await db.query(sql.typeAlias('void')`update live.sessions set started_at = now() - interval '1 minute'`)
  await db.query(sql.typeAlias('void')`update rooms.sessions set assigned_at = now() - interval '1 minute'`)
  await forget()
  t.ok(await claimChannel(other))
  t.ok(await roomHosts.claim(db, { room_id: roomId, worker_id: other, gateway_url: 'ws://there' }))
})
