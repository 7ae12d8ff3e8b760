/** What a mail tells of one event. */
interface MailEvent {
  title: string
  body: string | null
  url: string | null
}

/** Events that one mail tells of in full; it counts those behind them. */
const maxEvents = 100

/** What a mail of one event or of many says: their titles, texts and links. */
export function mailOf(events: readonly [MailEvent, ...MailEvent[]]): { subject: string; text: string } {
  const [first, ...others] = events
  if (others.length === 0)
    return { subject: first.title, text: `${paragraphs(first.body ?? first.title, first.url)}\n` }
  const texts = events.slice(0, maxEvents).map(({ title, body, url }) => paragraphs(title, body, url))
  const more = events.length - texts.length
  if (more > 0) texts.push(`And ${more} more.`)
  return { subject: `${first.title} (and ${others.length} more)`, text: `${texts.join('\n\n* * *\n\n')}\n` }
}

/** Texts with a blank line between each; what is null is left out. */
export const paragraphs = (...parts: readonly (string | null)[]) => parts.filter((part) => part !== null).join('\n\n')
