import { existsSync } from 'node:fs'
import t from 'tap'
import { chromiumPath, keepPicture, trouble } from '../support/browser.ts'
import { meets, openTalker, startTalkers, type Talker } from '../support/room-pages.ts'
import { roomsStack } from '../support/rooms-stack.ts'
import { until } from '../support/until.ts'

/** Has a page tell how many bytes have come to it. */
const keepsConnections = `{
  const connections = []
  window.RTCPeerConnection = class extends RTCPeerConnection {
    constructor(...given) {
      super(...given)
      connections.push(this)
    }
  }
  window.bytesOf = async (kind) => {
    let bytes = 0
    for (const connection of connections)
      for (const stat of (await connection.getStats()).values())
        if (stat.type === 'inbound-rtp' && stat.kind === kind) bytes += stat.bytesReceived
    return bytes
  }
}`

t.setTimeout(300_000)
const skip = existsSync(chromiumPath) ? false : 'Chromium is not installed'

t.test('three people in Chromium', { skip }, async (t) => {
  const stack = await roomsStack(t)
  const [{ browser }] = await Promise.all([startTalkers(t), stack.startRooms()])
  const roomId = await stack.makeRoom({ name: 'Weekly planning' })
  const host = { roomId, identity: 'ann', displayName: 'Ann', role: 'host' }
  const ann = await openTalker(t, stack, browser, host, { speaks: true })
  const bo = await openTalker(t, stack, browser, { roomId, identity: 'bo', displayName: 'Bo' })
  const cy = await openTalker(
    t,
    stack,
    browser,
    { roomId, identity: 'cy', displayName: 'Cy' },
    { watches: keepsConnections },
  )
  const all = [ann, bo, cy]

  const tile = ({ page }: Talker, name: string) =>
    page.locator('.tile', { has: page.locator('.name', { hasText: new RegExp(`^${name}`) }) })
  const hasClass = (who: Talker, name: string, style: string, is = true) =>
    until(async () => new RegExp(`\\b${style}\\b`).test((await tile(who, name).getAttribute('class')) ?? '') === is, {
      timeout: 30_000,
      what: `${name} is ${is ? '' : 'not '}${style}`,
    })

  await t.test('see and hear each other, and see who speaks', async (t) => {
    await Promise.all(all.map((one) => one.join()))
    await meets(ann.page, ['Bo', 'Cy'])
    await meets(bo.page, ['Ann', 'Cy'])
    await meets(cy.page, ['Ann', 'Bo'])
    await hasClass(bo, 'Ann', 'speaking')
    await keepPicture(bo.page, 'room.png')
    for (const one of all) t.strictSame(one.errors, [])
    t.strictSame(
      (await stack.present(roomId)).map(({ identity, state }) => [identity, state]).toSorted(),
      [...'ann bo cy'.split(' ')].map((identity) => [identity, 'publishing']),
    )
  })

  await t.test('switch their microphones and cameras off and on, by keys as by buttons', async () => {
    await bo.page.keyboard.press('m')
    await hasClass(ann, 'Bo', 'silent')
    await ann.press('Camera')
    await hasClass(bo, 'Ann', 'no-picture')
    await keepPicture(bo.page, 'room-camera-off.png')
    await bo.page.keyboard.down(' ')
    await hasClass(ann, 'Bo', 'silent', false)
    await bo.page.keyboard.up(' ')
    await hasClass(ann, 'Bo', 'silent')
    await bo.press('Microphone')
    await ann.page.keyboard.press('v')
    await hasClass(ann, 'Bo', 'silent', false)
    await meets(ann.page, ['Bo', 'Cy'])
    await meets(bo.page, ['Ann', 'Cy'])
  })

  await t.test('share a screen', async (t) => {
    await bo.page.keyboard.press('s')
    const shared = tile(cy, 'Bo’s screen')
    await shared.waitFor()
    const frames = () => shared.locator('video').evaluate((video) => Reflect.get(video, 'videoWidth'))
    await until(async () => Number(await frames()) > 0, { timeout: 30_000, what: 'the screen is seen' })
    t.match(await cy.page.locator('#stage').getAttribute('class'), 'shared')
    await keepPicture(cy.page, 'room-screen.png')
    await cy.page.setViewportSize({ width: 390, height: 780 })
    await keepPicture(cy.page, 'room-screen-mobile.png')
    await cy.page.setViewportSize({ width: 960, height: 600 })
    await bo.press('Share the screen')
    await shared.waitFor({ state: 'detached' })
    await meets(cy.page, ['Ann', 'Bo'])
  })

  await t.test('a page that nobody sees gets sound alone, and pictures at once when it is seen', async (t) => {
    const received = async (kind: 'audio' | 'video') => Number(await cy.page.evaluate(`bytesOf('${kind}')`))
    const turn = (hidden: boolean) =>
      cy.page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, value: ${hidden} });
        document.dispatchEvent(new Event('visibilitychange'))`)
    const grows = async (kind: 'audio' | 'video') => {
      const before = await received(kind)
      await until(async () => (await received(kind)) > before + 2_000, { timeout: 20_000, what: `${kind} comes` })
    }
    await grows('video')
    await turn(true)
    let before = -1
    const stands = async () => {
      const last = before
      before = await received('video')
      return before === last
    }
    await until(stands, { every: 700, timeout: 20_000, what: 'no picture comes any more' })
    await grows('audio')
    t.equal(await received('video'), before, 'while sound goes on')
    await turn(false)
    await grows('video')
    await meets(cy.page, ['Ann', 'Bo'])
    t.strictSame(cy.errors, [])
  })

  await t.test('a host mutes somebody, who is told and may speak again', async (t) => {
    await ann.page.keyboard.press('p')
    await ann.press('Mute Cy')
    await until(async () => String(await trouble(cy.page)).startsWith('A host turned off your microphone'))
    await hasClass(bo, 'Cy', 'silent')
    await keepPicture(ann.page, 'room-people.png')
    t.equal(await cy.page.locator('#microphone').getAttribute('aria-pressed'), 'false')
    await cy.press('Microphone')
    await meets(bo.page, ['Ann', 'Cy'])
  })

  await t.test('a host makes somebody a viewer and a participant again', async (t) => {
    await ann.page.getByLabel('Role of Cy').selectOption('viewer')
    await until(async () => (await trouble(cy.page)) === 'Your role is now viewer.')
    t.equal(await cy.page.locator('#camera').isVisible(), false)
    await meets(bo.page, ['Ann'])
    await meets(cy.page, ['Ann', 'Bo'])
    await ann.page.getByLabel('Role of Cy').selectOption('participant')
    await cy.page.locator('#camera').waitFor()
    await cy.press('Camera')
    await cy.press('Microphone')
    await meets(bo.page, ['Ann', 'Cy'])
    for (const one of all) t.strictSame(one.errors, [])
  })

  await t.test('are seen on a telephone, and in the dark', async () => {
    await bo.page.setViewportSize({ width: 390, height: 780 })
    await bo.page.emulateMedia({ colorScheme: 'dark' })
    await meets(bo.page, ['Ann', 'Cy'])
    await keepPicture(bo.page, 'room-mobile-dark.png')
  })

  await t.test('a host removes somebody, whose invitation is dead, and ends the room for all', async (t) => {
    await ann.press('Remove Cy')
    await cy.page.getByText('A host has removed you from the room.').waitFor()
    await meets(ann.page, ['Bo'])
    await cy.page.reload()
    await cy.page.getByText('This invitation no longer works.').waitFor()
    await ann.press('End the room for everyone')
    await ann.press('End the room')
    for (const { page } of [ann, bo]) await page.getByText('The room has ended.').waitFor()
    await bo.page.reload()
    await bo.page.getByText('The room has ended.').waitFor()
    t.equal((await stack.ask(`GET /v1/stream/rooms/${roomId}`)).body.state, 'ended')
  })
})
