import '../support/identity-environment.ts'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import axe from 'axe-core'
import { chromium } from 'playwright-core'
import sharp from 'sharp'
import t from 'tap'
import { chromiumArguments, chromiumPath, keepPicture, watchedPage } from '../support/browser.ts'
import { documentsStack } from '../support/documents-stack.ts'
import { anna, pageOf, photoOf, td3 } from '../support/specimen.ts'
import { until } from '../support/until.ts'

t.setTimeout(240_000)
const skip = existsSync(chromiumPath) ? false : 'Chromium is not installed'
const stack = await documentsStack(t)
const { ask, documentOf, promptOf } = stack
const { url } = stack.base.ingress
await stack.startReaders()

/** A browser whose camera sees a picture, at 1280 × 960. */
async function cameraThatSees(picture: Buffer) {
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
  return await browser.newContext({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' })
}

t.test(
  'a person shows a document to the camera, is told to try again, and then takes a selfie',
  { skip },
  async (t) => {
    const valid = await pageOf(td3({ ...anna, expiry: '400415' }))
    const context = await cameraThatSees(await photoOf(valid, 3))
    const { page, errors } = await watchedPage(context)
    const prompt = await promptOf('cam')
    await page.goto(url + prompt)
    await page.getByLabel('Photo, scan or PDF').setInputFiles({
      name: 'blurred.jpg',
      mimeType: 'image/jpeg',
      buffer: await sharp(valid).blur(7).jpeg().toBuffer(),
    })
    await page.getByRole('button', { name: 'Submit', exact: true }).click()
    await page.getByText('The image is blurred').waitFor({ timeout: 120_000 })
    await page.getByRole('button', { name: 'Submit anyway' }).waitFor()
    await keepPicture(page, 'identity-try-again.png')

    await page.getByRole('button', { name: 'Use the camera' }).click()
    await page.getByRole('button', { name: 'Take photo' }).waitFor()
    await page
      .getByLabel('Photo, scan or PDF')
      .setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: Buffer.from('a') })
    await page.getByRole('button', { name: 'Use the camera' }).waitFor()
    t.equal(await page.evaluate("document.querySelector('video').srcObject"), null, 'a file lets go of the camera')
    for (const name of ['Take photo', 'Submit anyway'])
      t.notOk(await page.getByRole('button', { name }).isVisible(), name)

    await page.getByRole('button', { name: 'Use the camera' }).click()
    await page.getByRole('button', { name: 'Take photo' }).click()
    await page.getByRole('img', { name: 'Your photo' }).waitFor()
    await page.evaluate(axe.source)
    const faults = await page.evaluate(
      `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] }).then(({ violations }) => violations.map(({ id }) => id))`,
    )
    t.same(faults, [])
    t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), 'nothing is wider than a phone')
    await keepPicture(page, 'identity-camera.png')
    await page.getByRole('button', { name: 'Submit', exact: true }).click()
    await page.getByText('Thank you. This step is complete.').waitFor({ timeout: 120_000 })
    t.match((await documentOf('cam')).body, { status: 'read', sound: true, facts: { surname: 'ERIKSSON' } })

    const next = await ask('GET /v1/identity/readiness?idp_sub=cam&product=selling')
    t.match(next.body.next_step, { requirement: 'identity.selfie', action: 'take_photo' })
    await page.goto(url + new URL(next.body.next_step.prompt_url).pathname)
    await page.getByRole('button', { name: 'Use the camera' }).click()
    await page.getByRole('button', { name: 'Take photo' }).click()
    await page.getByRole('button', { name: 'Submit', exact: true }).click()
    await page.getByText('Thank you. This step is complete.').waitFor({ timeout: 120_000 })
    const { body } = await ask('GET /v1/identity/readiness?idp_sub=cam&product=selling')
    t.same(body.pending_verification, ['identity.document', 'identity.selfie'])
    t.same(errors, [])
    await until(async () => (await ask('GET /v1/identity/status?idp_sub=cam')).body.checks.length === 3)
  },
)
