import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { chromiumPath, keepPicture, watchedPage } from '../support/browser.ts'
import { meets, openTalker, startTalkers, type Talker } from '../support/room-pages.ts'
import { roomsStack } from '../support/rooms-stack.ts'
import { until } from '../support/until.ts'

t.setTimeout(300_000)
const skip = existsSync(chromiumPath) ? false : 'Chromium is not installed'

/** Makes a page answer each offer as if it had been asked to send, and send. */
const smuggle = `{
  const take = RTCPeerConnection.prototype.setRemoteDescription
  const canvas = document.createElement('canvas')
  canvas.getContext('2d')
  RTCPeerConnection.prototype.setRemoteDescription = async function ({ type, sdp }) {
    await take.call(this, { type, sdp: sdp.replaceAll('a=sendonly', 'a=sendrecv') })
    setInterval(() => canvas.getContext('2d').fillRect(Math.random() * 99, 0, 9, 9), 50)
    for (const transceiver of this.getTransceivers()) {
      if (transceiver.receiver.track.kind !== 'video') continue
      transceiver.direction = 'sendrecv'
      await transceiver.sender.replaceTrack(canvas.captureStream(20).getVideoTracks()[0])
    }
  }
}`

t.test('rooms hold against viewers, faults and frames', { skip }, async (t) => {
  const stack = await roomsStack(t)
  const [{ browser }, workers] = await Promise.all([startTalkers(t), stack.startRooms()])
  const roomId = await stack.makeRoom()
  const ann = await openTalker(t, stack, browser, { roomId, identity: 'ann', displayName: 'Ann', role: 'host' })
  const bo = await openTalker(t, stack, browser, { roomId, identity: 'bo', displayName: 'Bo' })
  await Promise.all([ann.join(), bo.join()])
  await meets(ann.page, ['Bo'])

  const joinBare = ({ page, token }: Talker) =>
    page.evaluate(`import('/v1/stream/rooms/client.js').then(({ join }) =>
      join({ roomId: '${roomId}', token: '${token}' })).then((room) => { globalThis.room = room })`)

  await t.test('a viewer publishes nothing, whatever it sends', async (t) => {
    const eve = await openTalker(t, stack, browser, { roomId, identity: 'eve', displayName: 'Eve', role: 'viewer' })
    await eve.page.evaluate(smuggle)
    await joinBare(eve)
    const attempt = (expression: string) =>
      eve.page.evaluate(`Promise.resolve().then(() => ${expression}).then(() => 'done', ({ code }) => code)`)
    const camera = "document.createElement('canvas').captureStream().getVideoTracks()[0]"
    const drawn = `(() => { const canvas = document.createElement('canvas'); canvas.getContext('2d'); return canvas })()`
    t.equal(await attempt("room.start('camera')"), 'forbidden', 'the client')
    t.equal(
      await attempt(`room.publish('camera', ${camera.replace("document.createElement('canvas')", drawn)})`),
      'forbidden',
      'the gateway',
    )
    const id = await ann.page.locator('.tile.self').getAttribute('data-participant-id')
    for (const power of [`kick('${id}')`, `mute('${id}')`, `setRole('${id}', 'viewer')`])
      t.equal(await attempt(`room.${power}`), 'forbidden', power)
    const sent = `room.stats().then(({ received }) => [...(received?.values() ?? [])]
      .filter(({ type }) => type === 'outbound-rtp').reduce((sum, { packetsSent }) => sum + packetsSent, 0))`
    await until(async () => Number(await eve.page.evaluate(sent)) > 20, {
      what: 'Eve sends over the connection on which she watches',
    })
    await meets(ann.page, ['Bo'])
    const shown = (await stack.present(roomId)).find(({ identity }) => identity === 'eve')
    t.match(shown, { role: 'viewer', state: 'joined' })
    t.strictSame(shown.tracks, [])
    await eve.page.evaluate('room.leave()')
  })

  await t.test('a frame of another site meets with `allow`, and says what is missing without it', async (t) => {
    const framed = await stack.token(roomId, 'cy', { displayName: 'Cy' })
    const { pathname, search } = new URL(framed.joinUrl)
    const source = `${stack.ingress.url}${pathname}${search}&height=180`
    const site = createServer((request, response) => {
      response.setHeader('content-type', 'text/html')
      const allow = request.url === '/allowed' ? 'camera; microphone; display-capture; autoplay; fullscreen' : ''
      response.end(`<title>Shop</title><link rel="icon" href="data:,">
        <iframe src="${source}" allow="${allow}" width="900" height="560"></iframe>`)
    })
    site.listen(0, '127.0.0.1')
    await once(site, 'listening')
    t.teardown(() => site.close())
    const address = `http://localhost:${(site.address() as AddressInfo).port}`
    const { page } = await watchedPage(browser)
    await page.goto(`${address}/plain`)
    const frame = page.frameLocator('iframe')
    await frame.getByRole('alert').filter({ hasText: 'The browser does not allow this page to use your' }).waitFor()
    await page.goto(`${address}/allowed`)
    await frame.locator('#mirror-camera[aria-pressed=true]').waitFor()
    await frame.getByRole('button', { name: 'Join', exact: true }).click()
    await meets(ann.page, ['Bo', 'Cy'])
    const inside = await until(() => page.frames().find((one) => one.url() === source))
    await meets(inside, ['Ann', 'Bo'])
    await keepPicture(page, 'room-frame.png')
    await page.close()
    await meets(ann.page, ['Bo'])
  })

  await t.test('a browser that is killed is gone', async (t) => {
    const other = await startTalkers(t)
    const dee = await openTalker(t, stack, other.browser, { roomId, identity: 'dee', displayName: 'Dee' })
    await dee.join()
    await meets(ann.page, ['Bo', 'Dee'])
    other.kill()
    await ann.page.locator('.tile', { hasText: 'Dee' }).waitFor({ state: 'detached' })
    t.notOk((await stack.present(roomId)).some(({ identity }) => identity === 'dee'))
  })

  await t.test('the same identity from elsewhere takes the place of the one before', async () => {
    const again = await openTalker(t, stack, browser, { roomId, identity: 'bo', displayName: 'Bo' })
    await again.join()
    await bo.page.getByText('You have joined from another device or browser tab.').waitFor()
    await meets(ann.page, ['Bo'])
    await bo.press('Join again')
    await bo.join()
    await again.page.getByText('You have joined from another device or browser tab.').waitFor()
    await meets(ann.page, ['Bo'])
  })

  await t.test('all come back by themselves after their gateway was killed, and go on', async (t) => {
    await bo.press('Microphone')
    await workers.kill()
    for (const { page } of [ann, bo]) await page.getByText('The connection was lost. Reconnecting…').waitFor()
    await keepPicture(ann.page, 'room-away.png')
    await stack.startRooms()
    for (const { page } of [ann, bo]) await page.locator('#status').waitFor({ state: 'hidden', timeout: 60_000 })
    await meets(bo.page, ['Ann'])
    await ann.page.locator('.tile.silent', { hasText: 'Bo' }).waitFor()
    await bo.press('Microphone')
    await meets(ann.page, ['Bo'])
    t.strictSame((await stack.present(roomId)).map(({ identity }) => identity).toSorted(), ['ann', 'bo'])
  })
})
