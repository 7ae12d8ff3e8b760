import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'

/** Pages that the walk starts with, and the paths that it follows from there. */
const starts = ['/app', '/ops', '/docs', '/', '/watch', '/wiki', '/app/sign-in', '/no-such-page']
const followed = /^\/(app|ops|docs|wiki|watch)(\/|$)/
const left =
  /\/(sign-out|download|join|assets|regions|prolong|provider)|\.(png|css|js|tgz|whl|xml|json|txt|md)$|\/export$/

/** Number of pages of the documentation. Its pages have one layout. */
const mostDocs = 8

const views = [
  { name: 'desktop', width: 1280, height: 844, dark: false },
  { name: 'phone', width: 390, height: 844, dark: false },
  { name: 'dark', width: 1280, height: 844, dark: true },
] as const

/** Takes screenshots of one page of each kind. Returns their number. */
export async function takePages(context: BrowserContext, origin: string, folder: string): Promise<number> {
  for (const { name } of views) await mkdir(join(folder, name), { recursive: true })
  const page = await context.newPage()
  const seen = new Set<string>()
  const waiting = [...starts]
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const kind = kindOf(path)
    if (
      seen.has(kind) ||
      (kind.startsWith('/docs') && [...seen].filter((one) => one.startsWith('/docs')).length >= mostDocs)
    )
      continue
    seen.add(kind)
    await page.goto(origin + path)
    await take(page, kind, folder)
    waiting.push(...(await linksOf(page, origin)))
  }
  await page.close()
  return seen.size
}

async function take(page: Page, kind: string, folder: string): Promise<void> {
  const file = `${kind.slice(1).replaceAll('/', '-').replaceAll(/[{}]/g, '') || 'front'}.png`
  for (const { name, width, height, dark } of views) {
    await page.setViewportSize({ width, height })
    await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' })
    await page.screenshot({ path: join(folder, name, file), fullPage: true })
  }
}

/** Returns the path with IDs and other values replaced, so that two pages of one kind are equal. */
const kindOf = (path: string): string =>
  path
    .split('/')
    .map((part) => (/^[\da-f-]{36}$|^\d+$|[@.]/.test(part) ? '{id}' : part))
    .join('/')

async function linksOf(page: Page, origin: string): Promise<string[]> {
  const read = `[...document.querySelectorAll('a[href]')].map(({ href }) => href)`
  const hrefs = (await page.evaluate(read)) as string[]
  return hrefs
    .filter((href) => href.startsWith(`${origin}/`))
    .map((href) => new URL(href).pathname)
    .filter((path) => followed.test(path) && !left.test(path))
}
