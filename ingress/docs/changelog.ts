import { Feed } from 'feed'
import { openPage } from '../http/pages/open-routes.ts'
import { route } from '../http/route.ts'
import { cleanXmlText } from '../http/xml.ts'
import { guides } from './guides.ts'
import { renderGuide } from './markdown.ts'

const pagePath = '/docs/guides/changelog'

export const short = route({
  ...openPage,
  path: '/docs/changelog',
  summary: 'Go to the changelog',
  raw: true,
  async handle({ ctx }) {
    ctx.redirect(pagePath)
  },
})

/** Returns the changelog as an Atom feed (RFC 4287). Each date is one entry. */
export const feed = route({
  ...openPage,
  path: '/docs/changelog.atom',
  summary: 'Get the feed of the changelog',
  cors: true,
  raw: 'application/atom+xml; charset=utf-8',
  async handle({ ctx, origin }) {
    ctx.set('cache-control', 'no-cache')
    ctx.type = 'application/atom+xml; charset=utf-8'
    ctx.body = feedOf(changes(), origin)
  },
})

export interface DayOfChanges {
  heading: string
  /** Day in UTC: `2026-11-29`. */
  day: string
  anchor: string
  markdown: string
}

/** Returns the sections of the changelog, newest first. A heading begins with its date. */
export function changes(): DayOfChanges[] {
  const guide = guides().find(({ name }) => name === 'changelog')
  if (!guide) return []
  const [, ...sections] = guide.markdown.split(/^## /m)
  return sections.map((section) => {
    const [heading = ''] = section.split('\n', 1)
    const { headings } = renderGuide(guide, `## ${heading}`)
    return {
      heading,
      day: heading.slice(0, 10),
      anchor: headings[0]?.anchor ?? '',
      markdown: section.slice(heading.length),
    }
  })
}

function feedOf(days: readonly DayOfChanges[], origin: string): string {
  const guide = guides().find(({ name }) => name === 'changelog')
  const at = (day: string) => new Date(`${day}T00:00:00Z`)
  const feed = new Feed({
    id: origin + pagePath,
    title: 'Changelog of Millrace',
    link: origin + pagePath,
    feedLinks: { atom: `${origin}/docs/changelog.atom` },
    updated: at(days[0]?.day ?? '1970-01-01'),
  })
  for (const { heading, day, anchor, markdown } of days) {
    if (!guide) break
    const link = `${origin}${pagePath}#${anchor}`
    const { body } = renderGuide(guide, markdown)
    const content = body.text.replaceAll('href="/', `href="${origin}/`)
    feed.addItem({ id: link, link, title: `Changes of ${heading}`, date: at(day), content: cleanXmlText(content) })
  }
  return feed.atom1()
}
