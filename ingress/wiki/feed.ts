import { Feed } from 'feed'
import type { PublishedArticle } from '#sql/wiki/published.ts'
import { cleanXmlText, feedText } from '../http/xml.ts'
import { pageUrl } from './article-fields.ts'

export function renderFeed(rows: readonly PublishedArticle[], origin: string, self: string): string {
  const updated = rows[0]?.published_at
  const feed = new Feed({
    title: 'Wiki',
    description: 'Articles with proven claims.',
    link: origin,
    generator: 'Millrace',
    feedLinks: { rss: self },
    ...(updated && { updated }),
  })
  for (const { id, slug, version, title, summary, tags, published_at } of rows) {
    feed.addItem({
      title: feedText(title),
      link: pageUrl(origin, slug),
      description: feedText(summary),
      date: published_at,
      // A new version has a different ID, so that feed readers show it as a new entry.
      id: `urn:uuid:${id}#${version}`,
      category: tags.map((tag) => ({ name: cleanXmlText(tag) })),
    })
  }
  return feed.rss2()
}
