import { existsSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t from 'tap'
import { chromiumPath } from '../support/browser.ts'
import { noCoturn, startCoturn } from '../support/coturn.ts'
import { meets, openTalker, startTalkers, type Talker } from '../support/room-pages.ts'
import { roomsStack } from '../support/rooms-stack.ts'
import { noTcpOnly, outside, tcpOnly } from '../support/tcp-only.ts'

t.setTimeout(300_000)
const skip = existsSync(chromiumPath) ? noCoturn || noTcpOnly() : 'Chromium is not installed'

t.test('two people whose networks let no UDP out meet by way of TURN over TCP', { skip }, async (t) => {
  const stack = await roomsStack(t)
  const turn = await startCoturn(t)
  const url = (transport: string) => `turn:${outside}:${turn.port}?transport=${transport}`
  await stack.startRooms({ ...turn.environment, ROOMS_TURN_URLS: url('tcp') })
  const roomId = await stack.makeRoom({ name: 'Behind a wall' })
  const gateway = await stack.place(roomId, (await stack.token(roomId, 'nobody')).token)
  const ports = [new URL(stack.ingress.url).port, new URL(gateway).port].map(Number)
  const people: Talker[] = []
  for (const [identity, displayName] of [
    ['ann', 'Ann'],
    ['bo', 'Bo'],
  ] as const) {
    // Each in a network of their own.
    const { browser } = await startTalkers(t, await tcpOnly(t, chromiumPath, [...ports, turn.port]))
    people.push(await openTalker(t, stack, browser, { roomId, identity, displayName }, { watches: keepConnections }))
  }
  const [ann, bo] = people as [Talker, Talker]

  await t.test('no datagram leaves', async (t) => {
    const servers = { username: `${Math.floor(Date.now() / 1000) + 600}:x`, credential: 'any' }
    t.strictSame(await ann.page.evaluate(gather({ ...servers, urls: url('udp') })), [])
  })

  await t.test('they see and hear each other', async (t) => {
    await ann.join()
    await bo.join()
    await meets(ann.page, ['Bo'])
    await meets(bo.page, ['Ann'])
    for (const one of people) t.strictSame(one.errors, [])
  })

  await t.test('all of it by the relay', async (t) => {
    const relayed = { candidateType: 'relay', relayProtocol: 'tcp' }
    // One connection on which each sends, one on which they receive.
    for (const { page } of people) t.match(await selected(page), [relayed, relayed])
  })
})

/** Has a page keep its connections where they can be asked for. */
const keepConnections = `{
  window.connections = []
  const Native = RTCPeerConnection
  window.RTCPeerConnection = class extends Native {
    constructor(...given) { super(...given); connections.push(this) }
  }
}`

/** The kinds of candidate that a page finds by the servers alone. */
const gather = (server: object) => `new Promise((resolve) => {
  const found = []
  const connection = new RTCPeerConnection({ iceServers: [${JSON.stringify(server)}], iceTransportPolicy: 'relay' })
  connection.createDataChannel('x')
  connection.onicecandidate = ({ candidate }) => candidate ? found.push(candidate.candidate) : resolve(found)
  connection.setLocalDescription()
}).finally(() => connections.splice(0, connections.length))`

/** The local candidates by which a page's connections exchange media. */
const selected = (page: Page): Promise<unknown> =>
  page.evaluate(`Promise.all(connections.map(async (one) => {
    const stats = await one.getStats()
    const transport = [...stats.values()].find(({ type }) => type === 'transport')
    const { candidateType, relayProtocol } = stats.get(stats.get(transport.selectedCandidatePairId).localCandidateId)
    return { candidateType, relayProtocol }
  }))`)
