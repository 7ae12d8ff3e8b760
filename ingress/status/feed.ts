import { Feed } from 'feed'
import type { Incident } from '#sql/status/incidents.ts'
import { cleanXmlText, feedText } from '../http/xml.ts'
import { kindWords } from './words.ts'

/** Returns the incidents as an Atom feed (RFC 4287). */
export function feedOf(incidents: readonly Incident[], origin: string): string {
  const updated = incidents.flatMap(({ updates }) => updates.map(({ at }) => at.getTime()))
  const feed = new Feed({
    id: `${origin}/status`,
    title: 'Status of Millrace',
    link: `${origin}/status`,
    feedLinks: { atom: `${origin}/status.atom` },
    updated: new Date(Math.max(0, ...updated)),
  })
  for (const { id, kind, title, started_at, updates } of incidents) {
    const link = `${origin}/status#${id}`
    feed.addItem({
      id: link,
      link,
      title: cleanXmlText(`${kindWords[kind]}: ${title}`),
      published: started_at,
      date: updates.at(-1)?.at ?? started_at,
      content: updates
        .map(({ at, text }) => `<p>${at.toISOString().slice(0, 16).replace('T', ' ')} UTC: ${feedText(text)}</p>`)
        .join('\n'),
    })
  }
  return feed.atom1()
}
