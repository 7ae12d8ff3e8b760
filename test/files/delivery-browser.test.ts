import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { startBrowser } from '../support/browser.ts'
import { videoStack } from '../support/video-stack.ts'
import { publisher } from './deliverable.ts'

t.setTimeout(180_000)
const stack = await videoStack(t, { areas: ['files', 'app', 'account'] })
const mine = await publisher(stack)
const { url } = stack.ingress
const browser = await startBrowser(t)
const script = `document.documentElement.setAttribute('data-ran', '1'); fetch('/v1'); parent.postMessage('ran', '*')`

/** Opens a URL. Returns what its document could do, and the responses that it got. */
async function visit(address: string) {
  const context = await browser.newContext()
  await context.addCookies([{ name: 'session', value: 'of-the-dashboard', url }])
  const page = await context.newPage()
  const asked: string[] = []
  page.on('response', (response) => asked.push(response.url()))
  await page.goto(address)
  const ran = await page.locator(':root').getAttribute('data-ran')
  const shown = await page.locator(':root').textContent()
  await context.close()
  return { ran, shown, asked }
}

t.test('no code of a page or drawing runs, and it reads no cookies', async (t) => {
  const page = `<!doctype html><p style="color: red">hello</p><script>${script}</script><img src="/x.png" onerror="${script}">`
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" onload="${script}"><text y="20">hello</text><script>${script}</script></svg>`
  const cases: [string, string, string][] = [
    ['page.html', 'text/html', page],
    ['drawing.svg', 'image/svg+xml', drawing],
    [
      'page.xhtml',
      'application/xhtml+xml',
      `<html xmlns="http://www.w3.org/1999/xhtml"><body>hello<script>${script}</script></body></html>`,
    ],
  ]
  for (const [filename, type, content] of cases) {
    const id = await mine.store(content, { visibility: 'signed', filename, type })
    const signed = await mine.sign(id, { disposition: 'inline' })
    const { ran, shown, asked } = await visit(signed)
    t.equal(ran, null, filename)
    t.match(shown, 'hello', filename)
    t.same(
      asked.filter((one) => one !== signed),
      [],
      `${filename} loads nothing`,
    )
  }
})

t.test('files of other types are displayed, and other sites embed them', async (t) => {
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  const image = await mine.store(png, { visibility: 'public', filename: 'dot.png', type: 'image/png' })
  const drawing = await mine.store('<svg xmlns="http://www.w3.org/2000/svg" width="7" height="7"/>', {
    visibility: 'public',
    filename: 'a.svg',
    type: 'image/svg+xml',
  })
  const code = await mine.store(`window.ran = 1`, { visibility: 'public', filename: 'a.js', type: 'text/javascript' })
  const body = `<!doctype html><img id="png" src="${url}/f/${image}/dot.png"><img id="svg" src="${url}/f/${drawing}/a.svg"><script src="${url}/f/${code}/a.js"></script>`
  const site = createServer((_, res) => res.setHeader('content-type', 'text/html').end(body)).listen(0, '127.0.0.1')
  t.teardown(() => site.close())
  await once(site, 'listening')
  const page = await browser.newPage()
  await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
  const widthOf = (id: string) => page.evaluate(`document.getElementById('${id}').naturalWidth`)
  t.same([await widthOf('png'), await widthOf('svg')], [1, 7])
  t.notOk(await page.evaluate(`'ran' in window`), 'a file is no code for pages')
  const read = await page.evaluate(async (address) => {
    const answer = await fetch(address, { headers: { range: 'bytes=1-3' } })
    return [answer.status, await answer.text(), answer.headers.get('content-range')]
  }, `${url}/f/${image}/dot.png`)
  t.same(read, [206, 'PNG', `bytes 1-3/${png.length}`])
  await page.close()
})
