import { Feed } from 'feed'
import type { PublishedArticle } from '#sql/wiki/published.ts'
import { pageUrl } from './article-fields.ts'

/** Text without the characters that no XML 1.0 document may hold (§2.2). */
const xmlText = (text: string): string => text.replace(/[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')

/** An RSS 2.0 document of published articles. */
export function feedOf(rows: readonly PublishedArticle[], origin: string, self: string): string {
  const updated = rows[0]?.published_at
  const feed = new Feed({
    title: 'Wiki',
    description: 'Articles whose claims are proven.',
    link: origin,
    generator: 'Millrace',
    feedLinks: { rss: self },
    ...(updated && { updated }),
  })
  for (const { id, slug, version, title, summary, tags, published_at } of rows) {
    feed.addItem({
      title: xmlText(title),
      link: pageUrl(origin, slug),
      description: xmlText(summary),
      date: published_at,
      // A reader that knows the article shows its new version as a new entry.
      id: `urn:uuid:${id}#${version}`,
      category: tags.map((tag) => ({ name: xmlText(tag) })),
    })
  }
  return feed.rss2()
}
