interface MailEvent {
  title: string
  body: string | null
  url: string | null
}

/** Maximum number of events with full text in one email. Further events are only counted. */
const maxEvents = 100

export function formatMail(events: readonly [MailEvent, ...MailEvent[]]): { subject: string; text: string } {
  const [first, ...others] = events
  if (others.length === 0)
    return { subject: first.title, text: `${joinParagraphs(first.body ?? first.title, first.url)}\n` }
  const texts = events.slice(0, maxEvents).map(({ title, body, url }) => joinParagraphs(title, body, url))
  const more = events.length - texts.length
  if (more > 0) texts.push(`And ${more} more.`)
  return { subject: `${first.title} (and ${others.length} more)`, text: `${texts.join('\n\n* * *\n\n')}\n` }
}

/** Joins paragraphs with a blank line between them. Omits `null`. */
export const joinParagraphs = (...parts: readonly (string | null)[]) =>
  parts.filter((part) => part !== null).join('\n\n')
