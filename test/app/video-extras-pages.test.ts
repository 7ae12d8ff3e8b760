import t from 'tap'
import { sql } from '#sql/db.ts'
import { testOrg } from '../support/ingress.ts'
import { playableAsset } from '../support/playable-asset.ts'
import { videoStack } from '../support/video-stack.ts'
import { get, signedIn, submit } from './fixture.ts'

t.setTimeout(120_000)
const stack = await videoStack(t, { areas: ['app', 'account'] })
const { db } = stack
const { url } = stack.ingress
const { org } = await testOrg(db, [], { plan: 'unlimited' })
const [developer, viewer] = [await signedIn(db, url, org.id, 'developer'), await signedIn(db, url, org.id, 'viewer')]
const foreign = await signedIn(db, url, (await testOrg(db, [])).org.id, 'developer')
const { id } = await playableAsset(db, org.id)
await db.query(sql.unsafe`
  update video.assets set duration_seconds = 90, width = 640, height = 360, status = 'ready', frame_rate = 25 where id = ${id}`)
const path = `/app/videos/${id}`
const pages = ['clip', 'chapters', 'poster', 'preview', 'sounds'].map((page) => `${path}/${page}`)

t.test('members who may change videos reach each page from the video, others do not', async (t) => {
  const shown = (await get(url, path, developer)).text
  for (const page of pages) {
    t.match(shown, `href="${page}"`)
    t.equal((await get(url, page, developer)).status, 200, page)
    t.equal((await get(url, page, viewer)).status, 403, page)
    t.equal((await get(url, page, foreign)).status, 404, page)
  }
  t.notMatch((await get(url, path, viewer)).text, pages[0] as string)
})

t.test('a clip is cut, and its range is checked on the form', async (t) => {
  const cut = await submit(url, `${path}/clip`, developer, { start: '0:10', end: '1:02.5', title: 'Best' })
  const clip = cut.headers.get('location') ?? ''
  t.match(clip, /^\/app\/videos\/[0-9a-f-]{36}$/)
  t.match(
    (await get(url, clip, developer)).text,
    `<a href="${path}">a video</a> <span class="quiet">0:10 to 1:02.52</span>`,
  )
  t.match((await get(url, path, viewer)).text, `<a href="${clip}">Best</a>`)
  const faulty = await submit(url, `${path}/clip`, developer, { start: 'soon', end: '3:00', title: '' })
  t.match(faulty.text, /id="start-fault">must be seconds/)
  t.match(
    (await submit(url, `${path}/clip`, developer, { start: '0', end: '3:00' })).text,
    /id="end-fault">must not be after/,
  )
})

t.test('chapters are written line by line', async (t) => {
  const saved = await submit(url, `${path}/chapters`, developer, { chapters: '1:05 End\n\n0:00 Begin <here>' })
  t.equal(saved.headers.get('location'), path)
  t.match((await get(url, `${path}/chapters`, developer)).text, '0:00 Begin &lt;here')
  t.match((await get(url, path, viewer)).text, '2 chapters')
  const faulty = await submit(url, `${path}/chapters`, developer, { chapters: '0:00 Begin\nsoon' })
  t.match(faulty.text, /id="chapters-fault">must have a time and a title on line 2/)
})

t.test('a preview and an audio track are requested, and a poster that is not an image is rejected', async (t) => {
  const preview = { start: '0:05', duration: '2', width: '160', fps: '5' }
  t.equal((await submit(url, `${path}/preview`, developer, preview)).headers.get('location'), path)
  t.match((await get(url, path, viewer)).text, '2 s from 0:05')
  t.match((await submit(url, `${path}/preview`, developer, { ...preview, width: '9' })).text, /id="width-fault">/)
  t.equal((await submit(url, `${path}/preview/remove`, viewer, {})).status, 403)
  t.equal((await submit(url, `${path}/preview/remove`, developer, {})).status, 303)
  t.notMatch((await get(url, path, viewer)).text, '2 s from 0:05')
  const source = await playableAsset(db, org.id)
  await db.query(sql.unsafe`update video.assets set status = 'ready', title = 'Dub' where id = ${source.id}`)
  t.match((await get(url, `${path}/sounds`, developer)).text, `<option value="${source.id}">Dub</option>`)
  const track = { sourceAssetId: source.id, language: 'de', name: '', default: 'yes' }
  t.equal((await submit(url, `${path}/sounds`, developer, track)).headers.get('location'), path)
  const list = (await get(url, `${path}/sounds`, developer)).text
  t.match(list, 'de, default')
  const soundId = /name="soundId" value="([^"]+)"/.exec(list)?.[1] ?? ''
  t.equal((await submit(url, `${path}/sounds/remove`, developer, { soundId })).status, 303)
  t.notMatch((await get(url, `${path}/sounds`, developer)).text, 'de, default')
  const poster = await submit(url, `${path}/poster`, developer, {
    time: '',
    imageBase64: 'data:image/png;base64,aGVsbG8=',
  })
  t.match(poster.text, /id="file-fault">must be a JPEG, PNG or WebP/)
  t.match((await submit(url, `${path}/poster`, developer, { time: '', imageBase64: '' })).text, 'is required')
})
