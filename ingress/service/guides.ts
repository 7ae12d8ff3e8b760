import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { route } from '../http/route.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const ofAreas = readdirSync(`${root}/ingress`).map((area) => [area, `ingress/${area}/README.md`])

/** Each guide by its name: the README that lies beside what it explains. */
const guides = new Map(
  [
    ['start', 'README.md'],
    ...ofAreas,
    ['live', 'ingress/video/LIVE.md'],
    ['workers', 'workers/README.md'],
    ['ops', 'ops/README.md'],
    ['deploy', 'ops/deploy/README.md'],
  ].filter((guide): guide is [string, string] => existsSync(`${root}/${guide[1]}`)),
)

const forBrowsers = { method: 'GET', public: true, withoutDatabase: true, hidden: true, status: 200 } as const
const policy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** `GET /docs/guides`: which guides there are. */
export const list = route({
  ...forBrowsers,
  path: '/docs/guides',
  summary: 'The guides',
  raw: 'text/html',
  async handle({ ctx }) {
    const items = await Promise.all(
      [...guides].map(async ([name, path]) => {
        const [, title = name] = /^# (.+)$/m.exec(await readFile(`${root}/${path}`, 'utf8')) ?? []
        return `<li><a href="/docs/guides/${name}">${escaped(title)}</a>`
      }),
    )
    ctx.set('content-security-policy', policy)
    ctx.type = 'text/html; charset=utf-8'
    ctx.body = page('Guides', `<ul>${items.join('')}</ul><p><a href="/docs">The API</a></p>`)
  },
})

/** `GET /docs/guides/{guide}`: a guide's Markdown, as a page whose links lead to the other guides, or as it is. */
export const read = route({
  ...forBrowsers,
  path: '/docs/guides/{guide}',
  summary: 'A guide',
  raw: 'text/html',
  problems: ['not_found'],
  params: z.object({ guide: z.string() }),
  async handle({ ctx, params: { guide } }) {
    const path = guides.get(guide)
    if (!path) throw notFound('guide')
    const markdown = await readFile(`${root}/${path}`, 'utf8')
    ctx.set('content-security-policy', policy)
    ctx.vary('accept')
    const asPage = ctx.accepts('text/html', 'text/markdown') !== 'text/markdown'
    ctx.type = `${asPage ? 'text/html' : 'text/markdown'}; charset=utf-8`
    ctx.body = asPage
      ? page(guide, `<p><a href="/docs/guides">Guides</a></p><pre>${linked(markdown, path)}</pre>`)
      : markdown
  },
})

const page = (title: string, body: string) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>body { max-width: 75rem; margin: 1rem auto; padding: 0 1rem } pre { white-space: pre-wrap } :target { background: #ff8 }</style>
${body}
</html>
`

const escaped = (text: string) =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] as string)

/** The name by which a heading is linked to, as GitHub makes it. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

/** Markdown as the text of a page: headings can be linked to, and links to guides and other hosts can be followed. */
function linked(markdown: string, path: string): string {
  const names = new Map([...guides].map(([name, file]) => [file, name]))
  return escaped(markdown)
    .replace(/^#{2,4} (.+)$/gm, (line, heading: string) => `<b id="${anchorOf(heading)}">${line}</b>`)
    .replace(/\[([^\]\n]+)\]\(([^)\s]+)\)/g, (whole, text: string, target: string) => {
      const [file = '', anchor] = target.split('#')
      const name = names.get(file ? posix.join(posix.dirname(path), file) : path)
      const href = /^https?:/.test(target) ? target : name && `/docs/guides/${name}${anchor ? `#${anchor}` : ''}`
      return href ? `<a href="${href}">${text}</a>` : whole
    })
}
