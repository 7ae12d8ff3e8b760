import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { sql } from '#sql/db.ts'
import { mint } from '../../ops/video-client.ts'
import { ffmpeg } from '../media/ffmpeg.ts'
import { film } from '../media/sources.ts'
import { chromiumPath, keepPicture, startBrowser, videoGets, videoSays, watchedPage } from '../support/browser.ts'
import { fetchText, mediaPlaylist, playlistsOf } from '../support/hls.ts'
import { testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'
import { captioning } from './captioning.ts'

t.setTimeout(240_000)
const sentence = 'Good morning everyone. This is a video about the history of the railway.'

const stack = await videoStack(t)
const { ask, db, store } = stack
const at = (name: string) => join(stack.data, name)
const picture = ['-f', 'lavfi', '-i', 'color=navy:s=160x90:r=10:d=4']
await promisify(execFile)('flite', ['-voice', 'slt', '-t', sentence, '-o', at('speech.wav')])
await ffmpeg('-i', at('speech.wav'), ...picture, '-shortest', '-c:v', 'libx264', '-c:a', 'aac', at('spoken.mp4'))
await film(at('mute.mp4'), 'color=navy:s=160x90:r=10:d=1', { sound: null })

const assetIds = { spoken: '', mute: '' }
const { caption, ended } = captioning(stack)

const transcriptions = async (assetId: string) =>
  await db.any(sql.unsafe`
    select state, error from jobs.runs where subject = ${assetId} and task = 'video/transcribe' order by created_at`)

/** Where the workers look for their engine; nothing is there yet. */
const enginePath = at('engine')

t.test('only English, only what is ready, and only one’s own can be captioned', async (t) => {
  assetIds.spoken = await stack.send(at('spoken.mp4'))
  t.match(await caption(assetIds.spoken), { status: 409, body: { error: { code: 'asset_not_ready' } } })
  await stack.startWorkers({ POCKETSPHINX_PATH: enginePath })
  assetIds.mute = await stack.send(at('mute.mp4'))
  for (const assetId of Object.values(assetIds)) await stack.ready(assetId)
  for (const language of ['de', 'EN', 'en-US', 'english']) {
    const reply = await caption(assetIds.spoken, { language })
    t.match(reply, { status: 400, body: { error: { code: 'language_unsupported', message: /body\.language/ } } })
  }
  t.match(await caption(assetIds.spoken, {}), { status: 400, body: { error: { code: 'bad_request' } } })
  const { keys } = await testOrg(db, ['stream:read', 'stream:write'])
  t.equal((await caption(assetIds.spoken, { language: 'en' }, keys.main)).status, 404)
  t.strictSame((await stack.read(assetIds.spoken)).captions, [])
})

t.test('without an engine captions fail with a word to the operator', async (t) => {
  await caption(assetIds.spoken)
  t.match(await ended(assetIds.spoken, 'failed'), { failure_summary: /This server has no transcription engine/ })
  // The run ends after the captions of which it is.
  const runs = await until(async () => {
    const found = await transcriptions(assetIds.spoken)
    return found.every((run) => (run as { state: string }).state !== 'running') && found
  })
  t.match(runs, [{ state: 'failed', error: `${enginePath} (POCKETSPHINX_PATH)` }])
  await symlink('/usr/bin/pocketsphinx_continuous', enginePath)
})

t.test('what is said comes back as captions, made once however often they are asked for', async (t) => {
  const assetId = assetIds.spoken
  const before = await mint(stack.api, assetId)
  t.notMatch(await fetchText(before.hlsUrl), 'SUBTITLES')
  const replies = await Promise.all([1, 2, 3].map(() => caption(assetId)))
  const [first] = replies
  t.strictSame(
    replies.map(({ status }) => status),
    [201, 201, 201],
  )
  t.equal(new Set(replies.map(({ body }) => body.requestId)).size, 1)
  const captionPath = `/v1/stream/assets/${assetId}/captions/en.vtt`
  t.match(first?.body, { assetId, language: 'en', state: /queued|processing|ready/, captionPath })
  t.strictSame(await ended(assetId, 'ready'), {
    language: 'en',
    detected: false,
    engine: 'pocketsphinx',
    state: 'ready',
    progress_percent: 100,
    failure_summary: null,
    captionPath,
    name: null,
    default: false,
    source: 'automatic',
  })
  t.match((await caption(assetId)).body, { requestId: first?.body.requestId, state: 'ready' })
  t.match(await transcriptions(assetId), [{ state: 'failed' }, { state: 'done' }], 'once after it had failed')

  const file = await ask(`GET ${captionPath}`)
  t.match(file.headers.get('content-type'), /^text\/vtt/)
  const words = new Set(file.text.toLowerCase().match(/[a-z]+/g))
  const expected = sentence.toLowerCase().match(/[a-z]+/g) as string[]
  const heard = expected.filter((word) => words.has(word))
  t.ok(heard.length > expected.length * 0.7, `heard ${heard.length} of ${expected.length}: ${file.text}`)
  // An independent reader of the format finds the same cues.
  await writeFile(at('read.vtt'), file.text)
  const read = (await ffmpeg('-i', at('read.vtt'), '-f', 'srt', '-')).toString()
  t.equal(read.match(/-->/g)?.length, file.text.match(/-->/g)?.length)
  const { keys } = await testOrg(db, ['stream:read'])
  t.equal((await ask(`GET ${captionPath}`, { key: keys.main })).status, 404)

  // The player that asks for the playlist again is offered them, also with its old token.
  const master = await fetchText(before.hlsUrl)
  t.match(master, /TYPE=SUBTITLES.*LANGUAGE="en".*URI="[0-9a-f-]+\/captions_en\.m3u8"/)
  t.equal(master.match(/#EXT-X-STREAM-INF:/g)?.length, master.match(/SUBTITLES="captions"/g)?.length)
  const playlist = (await playlistsOf(before.hlsUrl)).find((url) => url.endsWith('captions_en.m3u8')) as string
  const [segmentUrl = ''] = (await mediaPlaylist(playlist)).segments
  t.match(segmentUrl, /\/captions_en_00000\.vtt$/)
  t.equal(await fetchText(segmentUrl), file.text)
  t.equal(await fetchText(new URL('captions_en.vtt', playlist).href), file.text, 'as older playlists name it')
  await ask(`DELETE /v1/stream/assets/playback-sessions/${before.sessionId}`)
  for (const url of [playlist, segmentUrl]) t.equal((await fetch(url)).status, 403, 'a revoked token gets none')
})

t.test('a viewer switches captions on in the menu and sees them', { skip: !existsSync(chromiumPath) }, async (t) => {
  const browser = await startBrowser(t)
  const { page, errors } = await watchedPage(browser)
  await page.goto((await mint(stack.api, assetIds.spoken)).embedUrl)
  await videoGets(page, 'video.readyState >= 2')
  await page.getByRole('button', { name: 'Play' }).first().click()
  await videoSays(page, 'video.pause()')
  await videoGets(page, '[...video.textTracks].every((track) => track.mode !== "showing")')
  await page.getByRole('button', { name: 'Captions' }).click()
  await page.getByRole('menuitemradio', { name: 'English (automatic)' }).click()
  const shown = '[...video.textTracks].filter((track) => track.mode === "showing")'
  await videoGets(page, `${shown}.some((track) => track.cues.length > 0)`)
  const lastCue = `[...${shown}[0].cues].at(-1)`
  await videoSays(page, `(video.currentTime = ${lastCue}.startTime + 0.3)`)
  await videoGets(
    page,
    `${shown}.some((track) => [...(track.activeCues ?? [])].some((cue) => /railway/.test(cue.text)))`,
  )
  await keepPicture(page, 'captions.png')
  await page.keyboard.press('c')
  await videoGets(page, `${shown}.length === 0`)
  t.strictSame(errors, [])
})

t.test('a video without sound says so', async (t) => {
  t.equal((await caption(assetIds.mute)).status, 201)
  t.match(await ended(assetIds.mute, 'failed'), { failure_summary: /has no audio/ })
  t.equal((await ask(`GET /v1/stream/assets/${assetIds.mute}/captions/en.vtt`)).status, 404)
})

t.test('the captions of a deleted video go with it', async (t) => {
  t.equal((await store.list('video/captions/')).length, 1)
  await ask(`DELETE /v1/stream/assets/${assetIds.spoken}`)
  t.equal((await ask(`GET /v1/stream/assets/${assetIds.spoken}/captions/en.vtt`)).status, 404)
  t.equal((await caption(assetIds.spoken)).status, 404)
  await until(async () => (await store.list('video/captions/')).length === 0, { timeout: 60_000 })
})
