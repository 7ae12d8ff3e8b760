import t from 'tap'
import { newId } from '#lib/ids.ts'
import { announce } from '#sql/video/speech-engines.ts'
import { testOrg } from '../support/ingress.ts'
import { playableAsset } from '../support/playable-asset.ts'
import { videoStack } from '../support/video-stack.ts'
import { get, signedIn, submit, toldOf } from './fixture.ts'

t.setTimeout(240_000)
const stack = await videoStack(t, { areas: ['app', 'account'] })
const { db } = stack
const { url } = stack.ingress
const { org } = await testOrg(db, [], { plan: 'unlimited' })
const [developer, viewer] = [await signedIn(db, url, org.id, 'developer'), await signedIn(db, url, org.id, 'viewer')]
const foreign = await signedIn(db, url, (await testOrg(db, [])).org.id, 'developer')
const vtt = 'WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nGood morning.\n'

t.test('what is said of a video is changed on a page', async (t) => {
  const { id } = await playableAsset(db, org.id)
  const path = `/app/videos/${id}`
  const facts = { title: 'Talk', description: 'About <it>', externalRef: 'r-1', metadata: 'course = a\nterm = 1' }
  t.equal((await submit(url, `${path}/facts`, developer, facts)).headers.get('location'), path)
  const shown = (await get(url, path, viewer)).text
  t.match(shown, /<h1>Talk<\/h1>/)
  t.match(shown, /About &lt;it(>|&gt;)/)
  t.match(shown, /<dt>course<\/dt><dd class="break">a<\/dd>/)
  t.match((await get(url, `${path}/facts`, developer)).text, 'course = a\nterm = 1</textarea>')
  await submit(url, `${path}/facts`, developer, { ...facts, description: '', metadata: 'course = b' })
  const again = (await get(url, path, viewer)).text
  t.match(again, /<dd class="break">b<\/dd>/)
  t.notMatch(again, /<dt>term<\/dt>|About/)
  const faulty = await submit(url, `${path}/facts`, developer, {
    ...facts,
    title: 'x'.repeat(501),
    metadata: 'a b = c',
  })
  t.equal(faulty.status, 400)
  t.match(faulty.text, /id="title-fault">/)
  t.match(faulty.text, /id="metadata-fault">/)
  for (const page of [`${path}/facts`, `${path}/tracks`]) {
    t.equal((await get(url, page, foreign)).status, 404)
    t.equal((await get(url, page, viewer)).status, 403)
    t.equal((await submit(url, page, viewer, facts)).status, 403)
  }
})

t.test('captions are given, corrected beside the film, and taken away', async (t) => {
  const { id } = await playableAsset(db, org.id)
  const path = `/app/videos/${id}`
  const added = await submit(url, `${path}/tracks`, developer, { language: 'de', name: '', default: 'yes', text: vtt })
  t.equal(added.headers.get('location'), path)
  t.match((await get(url, path, viewer)).text, /de <span class="quiet">uploaded, default<\/span>/)
  const page = await get(url, `${path}/tracks?language=de`, developer)
  t.match(page.text, /<iframe class="player" src="[^"]+\/embed"/)
  t.match(page.headers.get('content-security-policy'), `frame-src ${url};`)
  t.match(page.text, 'Good morning.')
  t.match(await toldOf(db, org.id, developer, /^contents/), [{ target: id, after: { kind: 'video' } }])
  const cue = (_: unknown, i: number) => {
    const at = new Date(3_000 + i * 1_000).toISOString().slice(11, 23)
    return `\n${at} --> ${at.slice(0, -1)}1\nx\n`
  }
  const long = vtt + Array.from({ length: 5_000 }, cue).join('')
  t.equal((await submit(url, `${path}/tracks?language=de`, developer, { language: 'de', text: long })).status, 303)
  const faulty = await submit(url, `${path}/tracks`, developer, { language: 'x!', text: 'nothing' })
  t.equal(faulty.status, 400)
  t.match(faulty.text, 'must have times on line 1')
  t.equal((await get(url, `${path}/tracks?language=fr`, developer)).status, 404)
  t.equal((await submit(url, `${path}/tracks/remove`, developer, { language: 'de' })).status, 303)
  t.match((await get(url, path, viewer)).text, 'No captions yet.')
})

t.test('a transcript is read, searched and downloaded', async (t) => {
  const { id } = await playableAsset(db, org.id)
  const path = `/app/videos/${id}`
  const text = `${vtt}\n00:01:02.000 --> 00:01:03.000\n<v Ada>Trains &lt;run&gt; early.\n`
  await submit(url, `${path}/tracks`, developer, { language: 'en', text })
  t.match((await get(url, path, developer)).text, `href="${path}/transcript?language=en"`)
  t.notMatch((await get(url, path, viewer)).text, `${path}/transcript`)
  const shown = (await get(url, `${path}/transcript?language=en`, developer)).text
  t.match(shown, '<dt>1:02</dt><dd class="break"><b>Ada:</b> Trains &lt;run&gt; early.</dd>')
  const found = (await get(url, `${path}/transcript?language=en&q=train`, developer)).text
  t.match(found, '<mark>Trains</mark> &lt;run&gt; early.')
  t.notMatch(found, 'Good morning.')
  t.match((await get(url, `${path}/transcript?language=en&q=plane`, developer)).text, 'No cues match these words.')
  const files = { txt: 'Good morning.\n\nAda: Trains <run> early.\n', vtt: /^WEBVTT/, json: /"speaker": "Ada"/ }
  for (const [type, contents] of Object.entries(files)) {
    const page = `${path}/transcript/en.${type}`
    const reply = await get(url, page, developer)
    t.match(reply.text, contents)
    t.equal(reply.headers.get('content-disposition'), `attachment; filename="en.${type}"`)
    t.equal((await get(url, page, viewer)).status, 403)
    t.equal((await get(url, page, foreign)).status, 404)
  }
  t.equal((await get(url, `${path}/transcript?language=de`, developer)).status, 404)
})

t.test('a member chooses the language of a transcription and sees the purpose of the engine', async (t) => {
  const { id } = await playableAsset(db, org.id)
  const path = `/app/videos/${id}`
  const before = (await get(url, path, developer)).text
  t.match(before, '<option value="en">English</option>')
  t.match(before, 'pocketsphinx finds words for a search.')
  await announce(db, newId(), { engine: 'whisper.cpp', languages: ['de', 'en'], detects: true })
  const shown = (await get(url, path, developer)).text
  t.match(shown, /<option value="auto">Detect the language<.*<option value="de">German</s)
  t.match(shown, 'Transcribed by whisper.cpp.')
  t.equal((await submit(url, `${path}/captions`, developer, { language: 'auto' })).status, 303)
  const after = (await get(url, path, developer)).text
  t.notMatch(after, '<option value="auto">')
  t.match(after, /auto <span class="quiet">automatic/)
  await submit(url, `${path}/captions`, developer, { language: 'fr' })
  t.match((await get(url, path, developer)).text, 'must be one of `auto`, `de`, `en`')
})

t.test('a video is fetched by its address', async (t) => {
  const to = (await submit(url, '/app/videos/import', developer, { url: 'https://example.com/a.mp4', title: '' }))
    .headers
  const page = await get(url, to.get('location') ?? '', viewer)
  t.match(page.text, /<h1>a\.mp4<\/h1>/)
  t.match(page.text, /<dt>Downloaded<\/dt>/)
  const faulty = await submit(url, '/app/videos/import', developer, { url: 'http://10.0.0.1/a', title: '' })
  t.match(faulty.text, /id="url-fault">is not allowed: /)
})
