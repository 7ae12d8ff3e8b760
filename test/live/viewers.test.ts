import { join } from 'node:path'
import t from 'tap'
import { Audience } from '../../ingress/live/audience.ts'
import type { Scope } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'
import { countingProxy } from './counting-proxy.ts'
import { onAir, recorded, testOrigin } from './on-air.ts'

const stack = await videoStack(t)
const [origin, input] = await Promise.all([testOrigin(t, stack), recorded(join(stack.data, 'short.flv'), 4)])

/** A channel whose publisher is away, so that who asks for the next part waits; and what is asked of its worker. */
async function stalled(t: Scope) {
  const proxy = await countingProxy(t, origin.url)
  const air = await onAir(stack, { ...origin, url: proxy.url }, { input })
  await until(() => air.states.includes('ended'))
  const { growing } = await air.playlist()
  return { proxy, air, next: `_HLS_msn=${growing.msn + 1}` }
}

/** Asks until it is told to stop; what was answered meanwhile. */
function asking(t: Scope, urls: readonly string[], headers: (i: number) => Record<string, string> = () => ({})) {
  const leave = new AbortController()
  t.teardown(async () => leave.abort())
  const statuses: number[] = []
  for (const [i, url] of urls.entries()) {
    fetch(url, { headers: headers(i), signal: leave.signal }).then(
      ({ status }) => statuses.push(status),
      () => {},
    )
  }
  return { statuses, leave: () => leave.abort() }
}

t.test('many viewers with directives of their own are one request upstream, and stall no other channel', async (t) => {
  const [{ proxy, air, next }, other] = await Promise.all([stalled(t), onAir(stack, origin, { input })])
  await until(() => other.states.includes('ended'))
  const opened = await stack.ask(`PATCH /v1/stream/live/channels/${air.channelId}`, {
    body: { visibility: 'unlisted' },
  })
  const mediaPlaylist = opened.body.playback.open.replace('index', 'live')
  proxy.asked.length = 0
  const urls = Array.from({ length: 150 }, (_, i) => `${mediaPlaylist}?${next}&_HLS_skip=v${i + 3}&_HLS_${i}=1`)
  const viewers = asking(t, urls, (i) => ({ 'user-agent': `Viewer ${i}` }))
  await until(() => proxy.asked.length > 0)
  const begun = performance.now()
  for (let i = 0; i < 5; i++) await other.playlist()
  t.comment(`another channel's playlist: ${((performance.now() - begun) / 5).toFixed(0)} ms`)
  t.strictSame(proxy.asked, [`/${air.channelId}/live.m3u8?${next}`])
  t.strictSame(viewers.statuses, [], 'all of them wait')
  viewers.leave()
  await until(() => proxy.open.size === 0, { what: 'the request upstream is free when the last viewer has left' })
})

t.test('a viewer has eight requests open, and no more', async (t) => {
  const { proxy, air, next } = await stalled(t)
  const mediaPlaylist = `${stack.ingress.url}/v1/stream/live/play/${air.token}/live.m3u8`
  const viewer = asking(
    t,
    Array.from({ length: 12 }, (_, part) => `${mediaPlaylist}?${next}&_HLS_part=${part}`),
  )
  await until(() => viewer.statuses.length === 4)
  t.strictSame(new Set(viewer.statuses), new Set([429]))
  const refused = await air.get('index.m3u8')
  t.equal(refused.status, 429)
  t.match(refused.headers.get('retry-after'), /^\d+$/)
  t.match(await refused.json(), { error: { code: 'rate_limited', details: { limit: 'at_once', max: 8 } } })
  viewer.leave()
  await until(() => proxy.open.size === 0)
  t.equal((await air.get('index.m3u8')).status, 200, 'who has left may come again')
})

t.test('what directives mean is asked upstream, and what means nothing is not', async (t) => {
  const { proxy, air } = await stalled(t)
  const { growing } = await air.playlist()
  const asked = async (file: string) => {
    proxy.asked.length = 0
    const { status } = await air.get(file)
    return [status, ...proxy.asked.map((path) => path.replace(`/${air.channelId}/`, ''))]
  }
  const plain = [200, 'live.m3u8']
  t.strictSame(await asked('live.m3u8?_HLS_skip=NO&_HLS_push=1&other=2'), plain)
  t.strictSame(await asked('live.m3u8?_HLS_skip=v2'), [200, 'live.m3u8?_HLS_skip=YES'])
  const msn = growing.msn - 1
  t.strictSame(await asked(`live.m3u8?_HLS_part=00&_HLS_msn=0${msn}`), [200, `live.m3u8?_HLS_msn=${msn}&_HLS_part=0`])
  t.strictSame(await asked('index.m3u8?_HLS_msn=7'), [200, 'index.m3u8'], 'they are for the media playlist')
  t.strictSame(await asked('live.m3u8?_HLS_msn=-1'), [400])
  t.strictSame(await asked('live.m3u8?_HLS_part=1'), [400])
  const far = `live.m3u8?_HLS_msn=${growing.msn + 1}&_HLS_part=500`
  t.strictSame(await asked(far), [400, far], 'a part that is far ahead is not waited for')
})

t.test('who watched channels that are idle now is not kept in mind', async (t) => {
  const audience = new Audience()
  for (let i = 0; i < 1000; i++) audience.see(`channel ${i}`, `viewer ${i}`, i)
  for (let i = 0; i < 1000; i++) audience.see('channel', `viewer ${i}`, 1000 + i)
  t.equal(audience.count('channel', 2000), 1000)
  audience.see('another', 'viewer', 60_000)
  t.equal(audience.size, 1)
  t.equal(audience.count('channel', 60_000), 0)
})
