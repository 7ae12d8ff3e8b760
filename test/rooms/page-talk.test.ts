import { existsSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t from 'tap'
import { chromiumPath, keepPicture, startBrowser, trouble, watchedPage } from '../support/browser.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress } from '../support/ingress.ts'
import { joined, participant, roomGateway } from '../support/room-gateway.ts'
import { until } from '../support/until.ts'

const skip = existsSync(chromiumPath) ? false : 'Chromium is not installed'
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

t.test('people write, raise hands, wait and are let in on the join page', { skip }, async (t) => {
  const ingress = await testIngress(t, (await testDatabase(t)).db, [], { only: ['rooms', 'video'] })
  const browser = await startBrowser(t)
  const gateway = await roomGateway(t)
  const context = await browser.newContext()
  t.teardown(() => context.close())
  const { page, errors } = await watchedPage(context)
  await gateway.serve(page)
  const text = Buffer.from(JSON.stringify({ displayName: 'Zoë', role: 'viewer' })).toString('base64url')
  await page.goto(`${ingress.url}/v1/stream/rooms/r/join?token=${text}.x`)
  const asked = (type: string) => gateway.heard.filter((message) => message.type === type)
  const writes = (messageId: string, more: object = {}) =>
    gateway.tell({
      type: 'chat',
      messageId,
      from: 'Ann',
      name: 'Ann',
      text: 'Hello',
      at: new Date(0).toISOString(),
      ...more,
    })

  gateway.admits = { type: 'wait', room: { roomId: 'r', name: 'Planning' } }
  await press(page, 'Join')
  await page.getByText('Wait until a host admits you.').waitFor()
  await keepPicture(page, 'room-waits.png')
  const host = joined('host', [participant('Ann'), participant('Bo', { role: 'viewer' })])
  const before = { messageId: 'm0', from: 'Ann', name: 'Ann', text: 'Before you', at: new Date(0).toISOString() }
  gateway.tell({ ...host, chat: [before] })

  await t.test('what is written is read, counted while it is closed, and never taken for markup', async (t) => {
    await page.locator('#room').waitFor()
    writes('m1')
    writes('m2', { text: '<img src=x onerror=alert(1)>', to: 'Me' })
    await press(page, 'Chat: 2 unread')
    t.strictSame(await page.locator('#chat .said').allTextContents(), [
      'Before you',
      'Hello',
      '<img src=x onerror=alert(1)>',
    ])
    t.match(await page.locator('#chat .who').last().textContent(), 'Ann to you only')
    await page.getByLabel('Message', { exact: true }).fill('Good morning')
    await page.locator('#chat select').selectOption('Bo')
    await page.keyboard.press('Tab')
    await page.getByLabel('Message', { exact: true }).press('Enter')
    await until(() => asked('chat').length === 1)
    t.match(asked('chat')[0], { text: 'Good morning', to: 'Bo' })
    await until(async () => (await page.getByLabel('Message', { exact: true }).inputValue()) === '')
    await keepPicture(page, 'room-chat.png')
    gateway.tell({
      type: 'settings',
      chat: 'off',
      waitingRoom: true,
      layout: 'speaker',
      can: { publish: true, moderate: true, chat: false },
    })
    await page.getByText('You cannot send messages in this room.').waitFor()
    t.equal(await page.getByLabel('Message', { exact: true }).isVisible(), false)
  })

  await t.test('a host lets in, sends away, lowers hands and sets the room', async (t) => {
    const one = (waitingId: string) => ({ waitingId, identity: waitingId, displayName: waitingId, role: 'participant' })
    gateway.tell({ type: 'waiting', waiting: [one('Cy'), one('Dora')] })
    gateway.tell({
      type: 'participant',
      event: 'updated',
      participant: participant('Ann', { hand: new Date(0).toISOString() }),
    })
    await press(page, 'People: 3, 2 waiting')
    t.equal(await page.locator('#chat').isVisible(), false, 'one beside the stage at a time')
    t.equal(await page.getByLabel('Waiting room').isChecked(), true)
    t.equal(await page.getByLabel('Chat access').inputValue(), 'off')
    await press(page, 'Admit Cy')
    await press(page, 'Reject Dora')
    await press(page, 'Lower the hand of Ann')
    await page.getByLabel('Broadcast layout').selectOption('screen')
    await page.getByLabel('Waiting room').uncheck()
    await until(() => asked('set').length === 2)
    t.match(
      [asked('admit'), asked('refuse'), asked('hand'), asked('set')],
      [
        [{ waitingId: 'Cy' }],
        [{ waitingId: 'Dora' }],
        [{ raised: false, participantId: 'Ann' }],
        [{ layout: 'screen' }, { waitingRoom: false }],
      ],
    )
    await keepPicture(page, 'room-host.png')
    gateway.tell({ type: 'waiting', waiting: [] })
    await page.locator('#waiting').waitFor({ state: 'hidden' })
    // A field has its keys to itself.
    await page.evaluate('document.activeElement.blur()')
    await page.keyboard.press('h')
    await until(() => asked('hand').length === 2)
    t.match(asked('hand')[1], { raised: true })
  })

  await t.test('on a telephone and in the dark', async (t) => {
    await page.setViewportSize({ width: 390, height: 780 })
    await page.emulateMedia({ colorScheme: 'dark' })
    gateway.tell({
      type: 'settings',
      chat: 'all',
      waitingRoom: false,
      layout: 'grid',
      can: { publish: true, moderate: true, chat: true },
    })
    await keepPicture(page, 'room-people-mobile-dark.png')
    await press(page, 'Chat')
    await page.getByLabel('Message', { exact: true }).waitFor()
    const wide = 'document.documentElement.scrollWidth'
    t.ok(Number(await page.evaluate(wide)) <= 390, 'nothing is cut')
    await keepPicture(page, 'room-chat-mobile-dark.png')
    t.equal(await trouble(page), null)
  })
  t.strictSame(errors, [])

  await t.test('who is sent away is told so, and not asked to come again', async (t) => {
    gateway.admits = 4012
    await page.reload()
    await press(page, 'Join')
    await page.getByText('A host did not admit you.').waitFor()
    t.equal(await page.getByRole('button', { name: 'Join again' }).isVisible(), false)
  })
})
