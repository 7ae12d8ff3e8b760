import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import axe from 'axe-core'
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import sharp from 'sharp'
import t, { type Test } from 'tap'
import { chromiumArguments, chromiumPath, keepPicture, watchedPage } from '../support/browser.ts'
import { faceStack } from '../support/face-stack.ts'
import { ann, documentOf, frameOf } from '../support/selfies.ts'

t.setTimeout(480_000)
const skip = existsSync(chromiumPath) ? false : 'Chromium is not installed'
const stack = await faceStack(t)
await stack.startFaces()
const { url } = stack.base.ingress
const poses = ['centre', 'left', 'right'] as const
const frames = await Promise.all(poses.map((pose) => frameOf(ann, pose)))

// The engine comes up with the first comparison, which a page does not wait for on a busy machine.
const first = await stack.begun('first', await documentOf(ann), { challenge: false })
await stack.selfie(first.prompt, null, [frames[0] as Buffer])

/** A browser whose camera always shows the same image. */
async function browserOf(t: Test, picture: Buffer, options: BrowserContextOptions) {
  const frame = await sharp(picture).resize(1_280, 960, { fit: 'contain' }).jpeg({ quality: 92 }).toBuffer()
  const film = join(t.testdir({}), 'camera.mjpeg')
  await writeFile(film, Buffer.concat(Array.from({ length: 4 }, () => frame)))
  const fake = [
    '--use-fake-device-for-media-stream',
    '--use-fake-ui-for-media-stream',
    `--use-file-for-fake-video-capture=${film}`,
  ]
  const browser = await chromium.launch({ executablePath: chromiumPath, args: [...chromiumArguments, ...fake] })
  t.teardown(() => browser.close())
  return await browser.newContext(options)
}

/** Script that replaces the camera by a person who follows the instructions on the page. */
const follow = (pictures: Record<string, string>): string => `
  const pictures = ${JSON.stringify(pictures)}
  navigator.mediaDevices.getUserMedia = async () => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 640, height: 640 })
    const context = canvas.getContext('2d')
    const images = Object.fromEntries(
      Object.entries(pictures).map(([pose, src]) => [pose, Object.assign(new Image(), { src })]),
    )
    setInterval(() => {
      const image = images[document.querySelector('#pose')?.dataset.pose ?? 'centre']
      if (!image.complete) return
      const width = (640 * image.width) / image.height
      context.fillRect(0, 0, 640, 640)
      context.drawImage(image, 320 - width / 2, 0, width, 640)
    }, 50)
    return canvas.captureStream(20)
  }`

async function reachSelfie(page: Page, prompt: string): Promise<void> {
  await page.goto(url + prompt)
  await page.getByRole('button', { name: 'I agree' }).click()
  await page.getByText('Step 2 of 3').waitFor()
  const document = { name: 'card.jpg', mimeType: 'image/jpeg', buffer: await documentOf(ann) }
  await page.getByLabel('Photo', { exact: true }).setInputFiles(document)
  await page.getByRole('button', { name: 'Continue' }).click()
  // A busy reader gives no advice, and the page goes on at once.
  const anyway = page.getByRole('button', { name: 'Submit anyway' })
  await anyway.or(page.getByText('Step 3 of 3')).first().waitFor({ timeout: 120_000 })
  if (await anyway.isVisible()) await anyway.click()
  await page.getByText('Step 3 of 3').waitFor({ timeout: 120_000 })
}

async function checkLooks(t: Test, page: Page, name: string): Promise<void> {
  await page.evaluate(axe.source)
  const faults = await page.evaluate(
    `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] }).then(({ violations }) => violations.map(({ id }) => id))`,
  )
  t.same(faults, [], name)
  t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${name}: nothing is too wide`)
  await keepPicture(page, `identity-face-${name}.png`)
}

t.test('a person who follows the instructions is done, also after a reload', { skip }, async (t) => {
  const context = await browserOf(t, await documentOf(ann), {
    viewport: { width: 390, height: 844 },
    colorScheme: 'dark',
  })
  const { page, errors } = await watchedPage(context)
  const pictures = Object.fromEntries(
    poses.map((pose, i) => [pose, `data:image/jpeg;base64,${frames[i]?.toString('base64')}`]),
  )
  await page.addInitScript(follow(pictures))
  const { id, prompt } = await stack.create('page')
  await page.goto(url + prompt)
  await checkLooks(t, page, 'consent')
  await reachSelfie(page, prompt)
  await page.reload()
  await page.getByRole('button', { name: 'Start' }).waitFor()
  await checkLooks(t, page, 'selfie')
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByText('2 of 5').waitFor()
  await checkLooks(t, page, 'turning')
  const told = page.locator('#done:visible, #state:has-text("Attempts left")')
  await told.first().waitFor({ timeout: 180_000 })
  t.match(await told.first().textContent(), /Thank you/, (await page.locator('#state').textContent()) ?? '')
  t.match(await stack.checkOf(id), { status: 'completed', decision: 'match', challenge: { result: 'passed' } })
  t.same(errors, [])
})

t.test('a still image in front of the camera does not pass, and the page says what to do', { skip }, async (t) => {
  const context = await browserOf(t, frames[0] as Buffer, { viewport: { width: 1_280, height: 800 } })
  const { page } = await watchedPage(context)
  const { id, prompt } = await stack.create('still')
  await reachSelfie(page, prompt)
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByText('Attempts left: 2').waitFor({ timeout: 180_000 })
  await checkLooks(t, page, 'failed')
  t.match(await stack.checkOf(id), { decision: 'match', challenge: { result: 'failed', stops: [] } })
})
