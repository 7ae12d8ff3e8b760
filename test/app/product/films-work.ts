import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { DevFacts } from '../../../ops/start/dev-facts.ts'
import { Millrace } from '../../../sdk/node/src/index.ts'
import { film } from '../../media/sources.ts'
import { startTalkers } from '../../support/room-pages.ts'
import { sdkSite } from '../../support/sdk-site.ts'
import { until } from '../../support/until.ts'
import { fileServer } from '../../video/file-server.ts'
import { quick } from '../../video/playable.ts'
import { clipsWork } from './clips-work.ts'
import { RideFilms } from './ride-films.ts'
import { talkBeforeTour } from './tour-talk.ts'

const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

/** The bike rental's films, broadcasts and rooms run on what `npm start` has brought up. */
export async function filmsWork(t: Test, facts: DevFacts, folder: string): Promise<void> {
  const base = facts.base_url
  const client = new Millrace({ baseUrl: base, apiKey: facts.keys.millrace as string })
  const films = await RideFilms.open(client, 'rides')
  const path = await film(join(folder, 'ride.mp4'), 'testsrc2=s=320x180:r=15:d=2', { codec: quick })
  const bytes = new Uint8Array(await readFile(path))
  const elsewhere = await fileServer(t, { '/coast.mp4': (_, response) => response.end(bytes) })
  await films.send(bytes, { id: 'ride-1', title: 'Along the harbour', words: 'The harbour.' })
  await films.fetch(elsewhere.url('/coast.mp4'), { id: 'ride-2', title: 'Along the coast', words: 'The coats.' })

  const { channelId, ingest } = await films.announce('Tour of the coast', {
    url: 'rtmp://live.example.com/app',
    streamKey: 'secret-of-theirs',
  })
  const [target] = (await client.live.restreams.list(channelId)).data
  t.match(target, { name: 'Elsewhere', state: 'idle', enabled: true })
  t.notMatch(JSON.stringify(target), 'secret-of-theirs')
  t.match(ingest.rtmp.url, /^rtmp:/)

  await t.test('riders talk before a scheduled tour', (t) => talkBeforeTour(t, client, base, channelId))
  await t.test('a guide and a rider talk in a room', (t) => meet(t, client, films, base))

  const ready = await until(
    async () => {
      const found = await films.ready()
      return found.size === 2 && found
    },
    { what: 'both films are ready', timeout: 60_000 },
  )
  const [harbour, coast] = [ready.get('ride-1') ?? '', ready.get('ride-2') ?? '']
  await films.correct(coast, 'WEBVTT\n\n00:00.000 --> 00:02.000\nThe coast.\n')
  t.match(await client.video.captions.read(coast, 'en.vtt'), 'The coast.')
  t.same(await films.words(coast), ['The coast.'])
  t.same(await films.find('harbours'), [{ film: harbour, at: 0 }])
  t.same(await films.find('coats'), [], 'what was corrected is not found')
  t.same(await films.transcribe(harbour, ['en', 'et']), ['en'], 'the embedded engine hears English')

  await t.test('a film is cut, marked and heard in another language', (t) => clipsWork(t, client, { harbour, coast }))

  const session = await films.watch(harbour, 'rider-0')
  const plays = async () => (await fetch(session.hlsUrl)).status
  t.match(await (await fetch(session.hlsUrl)).text(), 'TYPE=SUBTITLES')
  await films.leave('rider-0')
  await until(async () => (await plays()) === 403, { what: 'who has left watches no more' })

  const list = await films.publish([coast, harbour], 'All rides')
  t.match(await (await fetch(list)).text(), 'Along the coast')
  const shown = await client.directory.channelVideos.list(films.channel)
  t.same(new Set(shown.data.map(({ title }) => title)), new Set(['Along the harbour', 'Along the coast']))
  const { token } = await films.watch(coast, 'rider-1')
  const place = { tenths: [0, 1, 2], page: 'https://rides.example.com/coast?rider=1' }
  const view = { token, viewId: 'view-of-rider-1', sequence: 1, startupSeconds: 0.2, playSeconds: 1, ...place }
  for (const viewId of [view.viewId, 'view-of-rider-1-again'])
    await client.video.beacons.collect({ ...view, viewId }, { headers: { 'user-agent': browser } })
  const listed = await client.directory.videos.read(coast)
  t.match(listed, { views: 1, captions: [{ language: 'en' }] })
  t.match(await films.audience(coast), {
    plays: 2,
    viewers: 1,
    retention: [1, 1, 1, 0],
    pages: [{ value: 'https://rides.example.com/coast', plays: 2 }],
  })
  t.match(await films.audienceFile(coast), ',browser,firefox,2,1,')
  const oembed = await fetch(`${base}/oembed?${new URLSearchParams({ url: listed.url })}`)
  t.match(await oembed.json(), { type: 'video', title: 'Along the coast', html: /<iframe/ })
}

/** Two pages of the product's own join by the SDK; what one writes and sends, the other has. */
async function meet(t: Test, client: Millrace, films: RideFilms, base: string): Promise<void> {
  const [{ browser }, site] = await Promise.all([startTalkers(t), sdkSite(t)])
  const { roomId, guide, rider } = await films.meet('Before the tour', 'Gus', 'Ann')
  const join = async (token: string) => {
    const page = await browser.newPage()
    await page.goto(site)
    await page.evaluate(`import('/millrace/index.js').then(async ({ Millrace }) => {
      window.room = await new Millrace({ baseUrl: '${base}' }).rooms.join({ token: '${token}' })
      window.got = []
      for (const type of ['chat', 'data']) room.addEventListener(type, ({ detail }) => got.push(detail.text ?? detail.data))
    })`)
    return page
  }
  const [ofGuide, ofRider] = await Promise.all([join(guide), join(rider)])
  await ofGuide.evaluate("room.say('Helmets on')")
  await ofGuide.evaluate('room.send({ meet: [59.4, 24.7] })')
  await until(async () => Number(await ofRider.evaluate('got.length')) === 2, { what: 'both have come' })
  t.same(await ofRider.evaluate('got'), ['Helmets on', { meet: [59.4, 24.7] }])
  const { data } = await client.rooms.participants.list(roomId)
  t.equal(data.length, 2)
}
