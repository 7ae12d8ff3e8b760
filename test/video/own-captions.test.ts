import { join } from 'node:path'
import t from 'tap'
import { mint } from '../../ops/video-client.ts'
import { film, numbered } from '../media/sources.ts'
import { fetchText, playlistsOf } from '../support/hls.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { type Started, videoStack } from '../support/video-stack.ts'

t.setTimeout(240_000)
const stack = await videoStack(t)
const { ask } = stack
const track = (assetId: string, language: string) => `/v1/stream/assets/${assetId}/captions/${language}`
const put = (assetId: string, language: string, body: unknown, key = stack.key) =>
  ask(`PUT ${track(assetId, language)}`, { key, body })
const textOf = async (assetId: string, language: string) => (await ask(`GET ${track(assetId, language)}.vtt`)).text

const srt = `1
00:00:00,500 --> 00:00:01,500
<font color="red">Guten</font> <i>Morgen</i> & {\\an8}a < b

2
00:00:01,000 --> 00:00:02,250
- Zwei
- Zeilen
`
const vtt = `WEBVTT - of ours

STYLE
::cue { color: red }

NOTE nothing

intro
00:00.500 --> 00:02.000 align:start position:10% style:x
<v.loud Ada>Bonjour</v> &amp; <c.red>salut</c>
`
const codec = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '60', '-pix_fmt', 'yuv420p']
const path = await film(join(stack.data, 'a.mp4'), numbered('30', 3, '160:90'), { codec })

t.test('captions come with the upload, in several languages, and one that a program writes', async (t) => {
  await stack.startWorkers({ POCKETSPHINX_PATH: '/nowhere' })
  const captions = [
    { language: 'de-at', text: srt, name: 'Deutsch "AT"', default: true },
    { language: 'fr', text: vtt },
    { language: 'en' },
  ]
  const assetId = await stack.send(path, { captions })
  const asked = (await stack.read(assetId)).captions
  t.match(
    asked.map(({ language, source, default: isDefault }: Record<string, unknown>) => [language, source, isDefault]),
    [
      ['de-AT', 'uploaded', true],
      ['en', 'automatic', false],
      ['fr', 'uploaded', false],
    ],
  )
  await stack.ready(assetId)
  const { hlsUrl } = await mint(stack.api, assetId)
  const master = await fetchText(hlsUrl)
  t.match(master, /NAME="Deutsch ”AT”",LANGUAGE="de-AT",DEFAULT=YES/)
  t.match(master, /NAME="français",LANGUAGE="fr",DEFAULT=NO/)
  const playlists = await playlistsOf(hlsUrl)
  const german = playlists.find((url) => url.endsWith('captions_de-AT.m3u8')) as string
  const [segment = ''] = (await fetchText(german)).match(/^\S+\.vtt$/m) ?? []
  const cues = await fetchText(new URL(segment, german).href)
  t.match(cues, '00:00:00.500 --> 00:00:01.500\nGuten <i>Morgen</i> &amp; a &lt; b\n')
  t.match(cues, '- Zwei\n- Zeilen')
  const french = await textOf(assetId, 'fr')
  t.match(french, '00:00:00.500 --> 00:00:02.000 align:start position:10%\n<v Ada>Bonjour</v> &amp; salut\n')
  t.notMatch(french, /STYLE|NOTE|style/)
  await until(
    async () => {
      const en = (await stack.read(assetId)).captions.find(({ language }: { language: string }) => language === 'en')
      return en.state === 'failed'
    },
    { what: 'the automatic one was tried once the asset was ready' },
  )

  // Later: replaced, corrected, renamed, taken away; players get each with their next playlist.
  t.match(await put(assetId, 'fr', { text: vtt.replace('Bonjour', 'Salut'), default: true }), {
    status: 200,
    body: { assetId, captions: { language: 'fr', state: 'ready', source: 'uploaded', default: true } },
  })
  t.match(await textOf(assetId, 'fr'), 'Salut')
  const again = await fetchText(new URL(segment, german).href.replace('de-AT', 'fr'))
  t.match(again, 'Salut', 'segments that were cut before are cut anew')
  t.match(await fetchText(hlsUrl), /LANGUAGE="de-AT",DEFAULT=NO/, 'one track alone is the default')
  t.match(await ask(`PATCH ${track(assetId, 'fr')}`, { body: { name: 'Français (sourds)', default: false } }), {
    status: 200,
  })
  t.match(await fetchText(hlsUrl), /NAME="Français \(sourds\)",LANGUAGE="fr",DEFAULT=NO/)
  const raw = await ask(`PUT ${track(assetId, 'it')}`, {
    raw: srt,
    headers: { 'content-type': 'application/x-subrip' },
  })
  t.match(raw, { status: 200, body: { captions: { language: 'it' } } })
  t.match(await ask(`DELETE ${track(assetId, 'fr')}`), { status: 200, body: { deleted: true } })
  t.equal((await ask(`DELETE ${track(assetId, 'fr')}`)).status, 404)
  t.notMatch(await fetchText(hlsUrl), 'LANGUAGE="fr"')
  await put(assetId, 'fr', { text: vtt.replace('Bonjour', 'Encore') })
  t.match(await fetchText(new URL(segment, german).href.replace('de-AT', 'fr')), 'Encore')
})

t.test('what was never media may have no captions, and nobody gives another’s', async (t) => {
  const { keys } = await testOrg(stack.db, ['stream:read', 'stream:write'])
  const { assetId }: Started = (await ask('POST /v1/stream/uploads', { body: { bytes: 5 } })).body
  t.equal((await put(assetId, 'de', { text: srt }, keys.main)).status, 404)
  t.equal((await put(assetId, 'de', { text: srt })).status, 200, 'before the bytes are there')
  await ask(`DELETE /v1/stream/assets/${assetId}`)
  t.equal((await put(assetId, 'de', { text: srt })).status, 404)
})

t.test('a fault of captions is told by its line', async (t) => {
  const { assetId }: Started = (await ask('POST /v1/stream/uploads', { body: { bytes: 5 } })).body
  const faults: Record<string, [string, RegExp]> = {
    nothing: ['WEBVTT\n', /at least one cue/],
    'a text': ['Once upon a time', /must have times on line 1/],
    'no times': ['WEBVTT\n\n1\nhello\n', /must have times on line/],
    'a wrong time': ['WEBVTT\n\n00:00:61.000 --> 00:00:62.000\nx\n', /must have times such as .* on line 3/],
    'a time without its end': ['1\n00:00:01,000 -->\nx\n', /must have times such as .* on line 2/],
    'an end before its begin': ['WEBVTT\n\n00:02.000 --> 00:01.000\nx\n', /line 3 that ends before/],
    'too many cues at once': [
      `WEBVTT\n\n${'00:01.000 --> 00:09.000\nx\n\n'.repeat(21)}`,
      /up to 20 cues at the same time, but shows more at 1 s/,
    ],
    'a cue that is too long': [`WEBVTT\n\n00:01.000 --> 00:02.000\n${'x'.repeat(3000)}\n`, /line 3 with more than/],
    'too many cues': [`WEBVTT\n\n${'00:01.000 --> 00:02.000\nx\n\n'.repeat(20_001)}`, /up to 20000 cues/],
  }
  for (const [what, [text, issue]] of Object.entries(faults)) {
    const reply = await put(assetId, 'de', { text })
    t.match(reply, { status: 400, body: { error: { message: issue } } }, what)
    t.strictSame(fieldsOf(reply), ['body.text'], what)
  }
})
