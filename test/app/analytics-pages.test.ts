import t from 'tap'
import { testOrg } from '../support/ingress.ts'
import { playableAsset } from '../support/playable-asset.ts'
import { videoStack } from '../support/video-stack.ts'
import { get, signedIn } from './fixture.ts'

t.setTimeout(120_000)
const stack = await videoStack(t, { areas: ['app', 'account'] })
const { db, orgId } = stack
const { url } = stack.ingress
const viewer = await signedIn(db, url, orgId, 'viewer')
const foreign = await signedIn(db, url, (await testOrg(db, [])).org.id, 'developer')
const agent = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36'

t.test('members see who watches, by video, by property and as a file', async (t) => {
  const { id } = await playableAsset(db, orgId)
  t.match((await get(url, '/app/videos/analytics', viewer)).text, 'No plays in this period.')
  const { token } = (await stack.ask(`POST /v1/stream/assets/${id}/playback-sessions`, { body: {} })).body
  const body = { token, viewId: 'view-in-test', sequence: 1, startupSeconds: 1, playSeconds: 90 }
  const page = 'https://shop.example/<b>'
  const errors = [{ code: 'timeout', count: 2 }]
  await stack.ingress.ask('POST /v1/stream/collect', {
    body: { ...body, tenths: [0, 1, 2], page, errors },
    headers: { 'user-agent': agent },
  })
  const all = (await get(url, '/app/videos/analytics', viewer)).text
  for (const words of ['<dt>Plays</dt><dd>1</dd>', 'Plays by day', 'Watch time by day', 'desktop', 'chrome', 'timeout'])
    t.match(all, words)
  t.match(all, `/app/videos/analytics?asset=${id}`)
  t.notMatch(all, 'shop.example/<b>')
  t.match((await get(url, `/app/videos/${id}`, viewer)).text, 'Plays by day')
  const one = (await get(url, `/app/videos/analytics?asset=${id}`, viewer)).text
  t.match(one, 'desktop')
  t.match((await get(url, '/app/videos/analytics?device=tv', viewer)).text, 'No plays in this period.')
  t.match((await get(url, '/app/videos/analytics?device=desktop', viewer)).text, 'Active filters')
  const odd = await get(url, '/app/videos/analytics?from=2030-01-01&to=nothing&country=&asset=x', viewer)
  t.equal(odd.status, 200, 'what is not understood is as usual')
  t.equal((await get(url, `/app/videos/analytics?asset=${id}`, foreign)).status, 404)
  t.equal((await get(url, `/app/videos/analytics.csv?asset=${id}`, foreign)).status, 404)
  const file = await get(url, `/app/videos/analytics.csv?asset=${id}`, viewer)
  t.match(file.headers.get('content-type'), 'text/csv')
  t.match(file.text, /,device,desktop,1,1,90,0,2,1,1,1,1,0/)
})
