import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { sql } from '#sql/db.ts'
import { get, signIn } from '../console/fixture.ts'
import { film } from '../media/sources.ts'
import { insertAsset } from '../support/assets.ts'
import { chromiumPath, keepPicture, startBrowser, videoGets, videoSays, watchedPage } from '../support/browser.ts'
import { testOrg } from '../support/ingress.ts'
import { videoStack } from '../support/video-stack.ts'
import { quick } from '../video/playable.ts'

t.setTimeout(240_000)
const stack = await videoStack(t, { areas: ['directory', 'console'] })
const { db, ask, ingress } = stack
const { url } = ingress
await stack.startWorkers()
await db.query(sql.typeAlias('void')`
  update account.keys set scopes = scopes || array['streaming:write'] where org_id = ${stack.orgId}`)
const title = 'Steam & <script>alert(1)</script>'
const id = await stack.send(await film(join(stack.data, 'a.mp4'), 'testsrc2=s=320x180:r=10:d=4', { codec: quick }), {
  title,
  filename: 'secret.mov',
})
await stack.ready(id)
await ask('POST /v1/streaming/channels', {
  body: { handle: 'railways', name: 'Railway history', links: ['https://a.example/'] },
})
const more = await Promise.all(
  ['One', 'Two', 'Three'].map((name) => insertAsset(db, stack.orgId, { title: `Engine ${name}`, poster: false })),
)
for (const one of [id, ...more]) await ask(`PUT /v1/streaming/channels/railways/videos/${one}`)
const description = 'How it began.\n</script><img src=x onerror=alert(2)>'
await ask(`PATCH /v1/streaming/videos/${id}`, { body: { description, tags: ['steam', '"quoted"'] } })
const publish = (visibility: string) => ask(`PATCH /v1/stream/assets/${id}`, { body: { visibility } })

t.test(
  'a watch page tells other sites what it shows, and holds nothing that its owner’s words could run',
  async (t) => {
    t.equal((await ask(`GET /watch/${id}`)).status, 404)
    t.equal((await publish('public')).status, 200)
    const page = await ask(`GET /watch/${id}`)
    const open = `${url}/v1/stream/open/${id}`
    const shown = new Map(
      [...page.text.matchAll(/<meta (?:property|name)="([^"]+)" content="([^"]*)">/g)].map(([, name, value]) => [
        name,
        value,
      ]),
    )
    t.match(Object.fromEntries(shown), {
      'og:type': 'video.other',
      'og:url': `${url}/watch/${id}`,
      'og:title': 'Steam &amp; &lt;script&gt;alert(1)&lt;/script&gt;',
      'og:image': `${open}/poster.jpg`,
      'og:video': `${open}/embed`,
      'og:video:width': '320',
      'og:site_name': 'Railway history',
      'video:duration': '4',
      'twitter:card': 'player',
    })
    t.equal(page.text.match(/<script/g)?.length, 1, 'but for the data of search engines')
    const [, data = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(page.text) ?? []
    t.match(JSON.parse(data), { '@type': 'VideoObject', name: title, embedUrl: `${open}/embed`, duration: 'PT4S' })
    t.notMatch(page.text, /<img src=x|secret\.mov/)
    t.match(page.headers.get('content-security-policy'), /default-src 'none'/)
    t.notMatch(page.headers.get('content-security-policy'), /script-src|unsafe/)
    for (const address of [shown.get('og:image'), shown.get('og:video')])
      t.equal((await fetch(address ?? '')).status, 200)
    const { playback } = (await ask(`GET /v1/streaming/videos/${id}`)).body
    t.match(await (await fetch(playback.hls_url)).text(), '#EXTM3U')
  },
)

const skip = existsSync(chromiumPath) ? false : 'Chromium is not installed'
t.test(
  'Chromium plays it, follows to the channel and shows the console’s page, without complaint',
  { skip },
  async (t) => {
    const { page, errors } = await watchedPage(await startBrowser(t))
    await page.goto(`${url}/watch/${id}`)
    const frame = page.frames().find((one) => one.url().endsWith('/embed?title=0'))
    if (!frame) return t.fail('there is no player')
    await videoGets(frame, 'video.readyState >= 2')
    await videoSays(frame, 'video.play()')
    await videoGets(frame, 'video.currentTime > 0.3')
    t.same(errors, [])
    await keepPicture(page, 'watch.png')
    t.equal(await page.title(), title)
    t.equal(await page.locator('.grid li').count(), 3)
    await page.getByRole('link', { name: 'Railway history' }).click()
    t.equal(await page.locator('h1').textContent(), 'Railway history')
    t.equal(await page.locator('.grid li').count(), 4)
    await keepPicture(page, 'watch-channel.png')
    t.equal((await publish('signed')).status, 200)
    t.equal((await page.goto(`${url}/watch/${id}`))?.status(), 404)
    t.match(await page.locator('[role=alert]').textContent(), 'is not public')
    t.equal((await publish('public')).status, 200)

    const { org, keys } = await testOrg(db, ['operator'])
    const cookie = await signIn({ db, url, key: keys.main, orgId: org.id })
    const { text } = await get(url, '/ops/directory', cookie)
    t.match(text, '<dt>Videos</dt><dd>4</dd>')
    t.match(text, 'Steam &amp; &lt;script&gt;')
    const [name = '', value = ''] = cookie.split('=')
    await page.context().addCookies([{ name, value, url }])
    errors.length = 0
    await page.goto(`${url}/ops/directory`)
    t.same(errors, [])
    await keepPicture(page, 'console-directory.png')
  },
)
