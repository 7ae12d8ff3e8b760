import { Problem } from '#lib/errors.ts'
import { createFairSlots } from '#lib/slots.ts'
import type { Message } from '#sql/email/messages.ts'
import { showSource } from '#tasks/email/show-source.ts'
import type { PageCall } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { amountOf, formatInstant } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { emptyState } from '../../http/html/parts.ts'
import { questions } from '../../http/services.ts'
import { contentKeptUntil, findMessageContent, type MessageContent } from '../messages/content.ts'
import { mailFrame, toMailView, viewLinks } from './mail-views.ts'

type Call = Pick<PageCall<unknown, unknown>, 'db' | 'services' | 'member'>

/** Maximum time in milliseconds that the page waits for a worker. */
const mostMs = 8_000

/** Places for sources, because the workers that create them also send the email of all organisations. */
const places = createFairSlots({ slots: 4, slotsOfOne: 1, waiting: 40, waitingOfOne: 2 })

const more = [
  ['headers', 'Headers'],
  ['source', 'Source'],
] as const

/** The content of a message: rendered, as text, its headers and its source. */
export async function contentSection(call: Call, message: Message, wanted: string | undefined): Promise<Html> {
  const content = await findMessageContent(call.db, message)
  const until = contentKeptUntil(message)
  if (!content) {
    return html`<section id="content"><h2>Content</h2>${emptyState(`The content was kept until ${formatInstant(until)} UTC.`, 'Status and delivery route are kept longer.')}</section>`
  }
  const path = `/app/mail/${message.id}`
  const chosen = wanted ?? (content.html === null ? 'text' : 'desktop')
  return html`<section id="content"><div class="title"><h2>Content</h2>${viewLinks(path, chosen, more)}</div>
${
  chosen === 'headers' || chosen === 'source'
    ? await sourceOf(call, message, chosen)
    : html`<div class="mail-stage">${mailFrame(`${path}/shown?view=${toMailView(chosen)}`, chosen)}</div>`
}
${content.attachments.length > 0 && attachmentTable(content)}
<p class="quiet">Millrace keeps the content until ${formatInstant(until)} UTC.</p></section>`
}

const attachmentTable = ({ attachments }: MessageContent): Html =>
  dataTable('Attachments', attachments, {
    Attachment: ({ filename }) => filename,
    Type: ['break', ({ content_type }) => content_type],
    Size: ['number', ({ bytes }) => amountOf('bytes', bytes)],
  })

async function sourceOf({ services, member }: Call, { id }: Message, part: 'headers' | 'source'): Promise<Html> {
  const about = { orgId: member.orgId, subject: id, timeout: mostMs, forgotten: true }
  const place = await places.take(member.orgId, AbortSignal.timeout(mostMs)).catch(() => undefined)
  if (!place) return emptyState('Your organisation creates other sources now. Reload the page in a moment.')
  using _place = place
  const answer = await services(questions)
    .ask(showSource, { orgId: member.orgId, messageId: id }, about)
    .catch((error: unknown) => {
      if (!(error instanceof Problem)) throw error
      return { source: null, isCut: false, reason: 'The mail worker did not respond. Reload the page.' }
    })
  if (answer.source === null) return emptyState(answer.reason)
  if (part === 'headers') return headerTable(answer.source)
  return html`<pre tabindex="0">${answer.source}</pre>
${answer.isCut && html`<p class="quiet">Only the first ${amountOf('bytes', 262_144)} are shown.</p>`}`
}

/** Unfolds the lines of the header (RFC 5322 §2.2.3). */
function headerTable(source: string): Html {
  const end = source.indexOf('\r\n\r\n')
  const lines = source.slice(0, end < 0 ? undefined : end).split(/\r\n(?![ \t])/)
  const fields = lines.map((line) => ({
    name: line.slice(0, line.indexOf(':')),
    value: line
      .slice(line.indexOf(':') + 1)
      .replaceAll('\r\n', '')
      .trim(),
  }))
  return dataTable('Header fields', fields, {
    Field: ['', ({ name }) => name],
    Value: ['break wide', ({ value }) => html`<code>${value}</code>`],
  })
}
