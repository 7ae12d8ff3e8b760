import { existsSync } from 'node:fs'
import t from 'tap'
import { chromiumPath, startBrowser, watchedPage } from '../support/browser.ts'
import { until } from '../support/until.ts'
import { guardStack } from './stack.ts'

t.setTimeout(600_000)
const skip = existsSync(chromiumPath) ? false : 'Chromium is not installed'
const stack = await guardStack(t)
const { url } = stack.ingress

/** A run of a tier: with workers; by the page itself, which alone can be slowed down. */
interface Run {
  tier: string
  times: number
  workers: string
  slowed: number
}

const runs: Run[] = [
  ...['low', 'normal', 'high', 'extreme'].map((tier) => ({ tier, times: 3, workers: '2', slowed: 1 })),
  ...['low', 'normal', 'high'].map((tier) => ({ tier, times: 1, workers: '0', slowed: 4 })),
]

for (const { tier, times, workers, slowed } of runs) {
  const how = slowed > 1 ? `by the page itself, slowed down ${slowed} times` : `with ${workers} workers`
  t.test(`tier ${tier} is solved in Chromium ${how}`, { skip }, async (t) => {
    const site = await stack.site({ min_tier: tier, max_tier: tier })
    await stack.ask(`PATCH /v1/guard/sites/${site.id}`, { body: { origins: [url] } })
    await stack.stock(times)
    const { page } = await watchedPage(await startBrowser(t, chromiumPath))
    await page.goto(`${url}/v1/guard/demo?sitekey=${site.key}&workers=${workers}`)
    const session = await page.context().newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: slowed })
    await page.evaluate(`document.addEventListener('solve', ({ detail }) => (document.title = detail.solve_ms))
      document.addEventListener('error', ({ detail }) => (document.title = JSON.stringify(detail)))`)
    const solved: string[] = []
    for (let n = 0; n < times; n++) {
      await page.evaluate(`document.title = ''; document.querySelector('mill-guard').reset()`)
      await page.locator('mill-guard button').click()
      solved.push(await until(async () => (await page.title()) || null, { timeout: 120_000, what: 'a token' }))
    }
    t.comment(`${tier}, ${how}: ${solved.join(', ')} ms`)
    t.ok(solved.every((ms) => /^\d+$/.test(ms)))
  })
}
