import { existsSync } from 'node:fs'
import t from 'tap'
import { chromiumPath } from '../support/browser.ts'
import { noFirefox, openFirefox } from '../support/firefox.ts'
import { joinAddress, meets, openTalker, startTalkers } from '../support/room-pages.ts'
import { roomsStack } from '../support/rooms-stack.ts'
import { until } from '../support/until.ts'

t.setTimeout(300_000)
const skip = existsSync(chromiumPath) ? noFirefox : 'Chromium is not installed'

t.test('somebody in Firefox and somebody in Chromium', { skip }, async (t) => {
  const stack = await roomsStack(t)
  const [{ browser }, fox] = await Promise.all([startTalkers(t), openFirefox(t), stack.startRooms()])
  const roomId = await stack.makeRoom({ name: 'Two engines' })
  const ann = await openTalker(t, stack, browser, { roomId, identity: 'ann', displayName: 'Ann' })
  const { url } = await joinAddress(stack, { roomId, identity: 'bo', displayName: 'Bo' })
  await fox.goto(url)
  const is = (expression: string) => until(() => fox.evaluate(expression), { what: expression })
  const tile = `document.querySelector('.tile:not(.self)')`

  await t.test('see and hear each other', async (t) => {
    await is(`document.querySelector('#mirror-camera[aria-pressed=true]') !== null`)
    await fox.click('#join')
    await is(`!document.getElementById('room').hidden`)
    await ann.join()
    await meets(fox, ['Ann'])
    await meets(ann.page, ['Bo'])
    t.equal(await fox.evaluate(`document.getElementById('unblock').hidden`), true, 'sound waits for no other click')
    const publishing = (await stack.present(roomId)).map(({ identity, state }) => [identity, state])
    t.strictSame(publishing.toSorted(), [...['ann', 'bo'].map((identity) => [identity, 'publishing'])])
  })

  await t.test('switch their microphones and cameras off and on', async (t) => {
    await fox.click('#camera')
    await fox.click('#microphone')
    await ann.page.locator('.tile:not(.self).no-picture.silent').waitFor()
    await meets(ann.page, [])
    await ann.press('Camera')
    await is(`${tile}.classList.contains('no-picture')`)
    await fox.click('#camera')
    await fox.click('#microphone')
    await ann.press('Camera')
    await meets(fox, ['Ann'])
    await meets(ann.page, ['Bo'])
    t.strictSame(ann.errors, [])
    t.strictSame(fox.errors, [])
  })
})
