import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { MillraceError } from '../../errors.ts'
import type { EmailMessage, EmailMessagesCreateBody } from '../../generated/types.ts'
import { pathOf } from '../../path.ts'
import { command, type Run } from '../command.ts'
import { type Connection, connect } from '../connection.ts'
import { exitStatus } from '../exit-status.ts'
import { mediaTypeOf } from '../media-types.ts'
import { wholeNumber } from '../numbers.ts'
import { readStandardInput, readText, readTextFile } from '../standard-input.ts'
import { clean } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'
import { waitFor } from '../wait-for.ts'

const options = {
  from: { type: 'string', value: 'ADDRESS', help: 'Sender: address, or "Name <address>"' },
  to: { type: 'string', value: 'ADDRESS', help: 'Recipient' },
  cc: { type: 'string', multiple: true, value: 'ADDRESS', help: 'Recipient of a copy' },
  bcc: { type: 'string', multiple: true, value: 'ADDRESS', help: 'Recipient of a hidden copy' },
  'reply-to': { type: 'string', value: 'ADDRESS', help: 'Address for replies' },
  subject: { type: 'string', short: 's', value: 'TEXT', help: 'Subject' },
  text: { type: 'string', value: 'TEXT', help: 'Plain text: text, @FILE, or - for the standard input' },
  html: { type: 'string', value: 'HTML', help: 'HTML: text, @FILE, or - for the standard input' },
  file: {
    type: 'string',
    value: 'FILE',
    help: 'File with the content. HTML if the name ends with .html',
    choices: 'files',
  },
  attach: { type: 'string', multiple: true, value: 'FILE', help: 'File to attach', choices: 'files' },
  stream: {
    type: 'string',
    value: 'STREAM',
    help: 'Default: transactional',
    choices: ['transactional', 'security', 'subscribed', 'repermission'],
  },
  'idempotency-key': {
    type: 'string',
    value: 'KEY',
    help: 'Repeating a request with the same key sends nothing twice',
  },
  wait: { type: 'boolean', short: 'w', help: 'Wait for the delivery. Status 3 if the message is not delivered' },
  timeout: { type: 'string', value: 'SECONDS', help: 'Time limit of --wait, 1 to 3600. Default: 120' },
} as const

type Given = Run<typeof options>

export const send = command({
  name: 'send',
  summary: 'Send an email',
  details: 'Without --text, --html and --file, the standard input is the plain text.',
  options,
  examples: [
    'millrace-cli send --from shop@example.com --to ann@example.org --subject Hello --text "Your order has shipped."',
    'millrace-cli send --from shop@example.com --to ann@example.org --subject Report --file report.html --wait',
  ],
  async run(given) {
    const { values, common, terminal, signal } = given
    const seconds = wholeNumber('timeout', values.timeout, 1, 3_600, 120)
    const body = await messageOf(values)
    const connection = await connect(common)
    const call = { verb: 'POST', path: '/send/v1/messages', body, takesKey: true }
    const accepted = await connection.transport.json<{ id: string; status: string }>(call, {
      signal,
      idempotencyKey: values['idempotency-key'],
    })
    if (!values.wait) {
      if (terminal.json) return terminal.printJson(accepted)
      terminal.print(clean(accepted.id))
      return terminal.note(`Status: ${clean(accepted.status)}.`)
    }
    if (!terminal.json) terminal.print(clean(accepted.id))
    return await showDelivery(given, connection, accepted.id, seconds)
  },
})

async function messageOf(values: Given['values']): Promise<EmailMessagesCreateBody> {
  const { from, to, subject, cc, bcc } = values
  const missing = Object.entries({ from, to, subject }).filter(([, value]) => value === undefined)
  if (from === undefined || to === undefined || subject === undefined) {
    throw new UsageError(`\`send\` needs ${missing.map(([name]) => `--${name}`).join(', ')}.`, 'send')
  }
  const attachments = await Promise.all(values.attach.map(attachmentOf))
  return {
    stream: (values.stream ?? 'transactional') as EmailMessagesCreateBody['stream'],
    from: senderOf(from),
    ...{ to, subject, ...(await contentOf(values)) },
    ...(cc.length > 0 ? { cc } : {}),
    ...(bcc.length > 0 ? { bcc } : {}),
    ...(values['reply-to'] ? { reply_to: values['reply-to'] } : {}),
    ...(attachments.length > 0 ? { attachments } : {}),
  }
}

function senderOf(text: string): EmailMessagesCreateBody['from'] {
  const [, before = '', email = ''] = /^([^<>]*)<([^<>]+)>$/.exec(text.trim()) ?? []
  const name = before.trim().replace(/^"([^"]*)"$/, '$1')
  return email === '' ? { email: text.trim() } : { email: email.trim(), ...(name ? { name } : {}) }
}

async function contentOf({ text, html, file }: Given['values']): Promise<{ text?: string; html?: string }> {
  if (file !== undefined && (text ?? html) !== undefined)
    throw new UsageError('Use --file without --text and --html.', 'send')
  if (text === '-' && html === '-')
    throw new UsageError('Only one of --text and --html can be the standard input.', 'send')
  if (file !== undefined) {
    const content = await readTextFile(file)
    return /\.html?$/i.test(file) ? { html: content } : { text: content }
  }
  if (text === undefined && html === undefined) {
    if (process.stdin.isTTY) throw new UsageError('`send` needs --text, --html, --file, or a standard input.', 'send')
    return { text: await readStandardInput() }
  }
  return {
    ...(text === undefined ? {} : { text: await readText(text) }),
    ...(html === undefined ? {} : { html: await readText(html) }),
  }
}

async function attachmentOf(path: string) {
  const content = await readFile(path, 'base64').catch((error: { code?: string }) => {
    throw new MillraceError(`The file ${path} cannot be read: ${error.code}.`)
  })
  return { filename: basename(path), content_type: mediaTypeOf(path), content }
}

const ends = new Set(['delivered', 'bounced', 'failed', 'suppressed', 'complained', 'cancelled'])

/** A message of a test key is only recorded, so its status `sent` is final. */
const isFinal = ({ status, sandbox }: EmailMessage) => ends.has(status) || (status === 'sent' && sandbox)

async function showDelivery({ terminal, signal }: Given, { transport }: Connection, id: string, seconds: number) {
  const read = () => transport.json<EmailMessage>({ verb: 'GET', path: pathOf`/send/v1/messages/${id}` }, { signal })
  let last = ''
  const message = await waitFor(read, isFinal, {
    ...{ seconds, signal },
    onState({ status }) {
      if (status !== last) terminal.note(`Status: ${clean(status)}.`)
      last = status
    },
  })
  const { status, reason } = message
  if (terminal.json) terminal.printJson(message)
  else if (reason) terminal.note(`Reason: ${clean(reason)}`)
  if (!isFinal(message)) terminal.note(`The message has no final status after ${seconds} s.`)
  return status === 'delivered' || status === 'sent' ? exitStatus.done : exitStatus.negative
}
