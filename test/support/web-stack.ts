import type { Page } from 'playwright-core'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import type { TestScope } from './ingress.ts'
import { type LiveStack, liveStack, type TestChannel } from './live-stack.ts'
import { type RoomsStack, roomsStack } from './rooms-stack.ts'
import { until } from './until.ts'
import type { Workers } from './video-stack.ts'
import { type WebPeers, webPeers } from './web-peers.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look at every field.
type Said = any

/** A stack with a live worker and a rooms worker, and a browser whose pages publish and watch. */
export interface WebStack {
  live: LiveStack
  rooms: RoomsStack
  peers: WebPeers
  liveWorker: Workers
  startRooms(): Promise<Workers>
  run(page: Page, name: string, ...given: unknown[]): Promise<Said>
  publish(page: Page, key: string, options?: object): Promise<Said>
  watch(page: Page, channel: TestChannel): Promise<Said>
  /** Waits until more frames have arrived. */
  sees(page: Page): Promise<void>
  is(page: Page, which: 'publishing' | 'watching', states: readonly string[]): Promise<void>
}

export async function webStack(t: TestScope, areas: readonly string[] = [], reconnectSeconds = 2): Promise<WebStack> {
  const live = await liveStack(t, { areas })
  const rooms = await roomsStack(t, live)
  const [peers, liveWorker] = await Promise.all([
    webPeers(t),
    live.startLive({ LIVE_RECONNECT_SECONDS: String(reconnectSeconds) }),
  ])
  const whip = `${live.ingress.url}/v1/stream/live/whip`
  const run = (page: Page, name: string, ...given: unknown[]) =>
    page.evaluate(`${name}(${given.map((one) => JSON.stringify(one)).join(', ')})`) as Promise<Said>
  const frames = async (page: Page) => (await run(page, 'received')).video?.framesDecoded ?? 0
  return {
    live,
    rooms,
    peers,
    liveWorker,
    async startRooms() {
      const workers = await rooms.startRooms({ LIVE_RTMP_PORT: String(live.port), LIVE_RECONNECT_SECONDS: '90' })
      const hosts = () =>
        live.db.anyFirst(sql.type(z.object({ id: z.string() }))`select worker_id as id from rooms.hosts`)
      await until(async () => (await hosts()).length > 0, { timeout: 30_000, what: 'a worker takes publishers' })
      return workers
    },
    run,
    publish: (page, key, options = {}) => run(page, 'publish', whip, key, options),
    async watch(page, channel) {
      const minted = await live.ask(`POST /v1/stream/live/channels/${channel.id}/playback-sessions`, { body: {} })
      return { ...(await run(page, 'watch', minted.body.whepUrl)), sessionId: minted.body.sessionId }
    },
    async sees(page) {
      const before = await frames(page)
      await until(async () => (await frames(page)) > before + 5, { timeout: 10_000, what: 'pictures come' })
    },
    async is(page, which, states) {
      await until(async () => states.includes(await run(page, 'state', which)), {
        timeout: 20_000,
        what: `${which} is ${states.join(' or ')}`,
      })
    },
  }
}
