import { createHash } from 'node:crypto'
import { command, type Run } from '../command.ts'
import { type Connection, connect } from '../connection.ts'
import { followFeed } from '../event-feed.ts'
import { exitStatus } from '../exit-status.ts'
import { readEvent } from '../listen/events.ts'
import { Listener } from '../listen/listener.ts'
import { checkedSecret, localSecret } from '../listen/local-secret.ts'
import { Position } from '../listen/positions.ts'
import { targetUrl } from '../listen/target.ts'
import { wordsOf } from '../lists.ts'
import { wholeNumber } from '../numbers.ts'
import { readText } from '../standard-input.ts'
import { paint } from '../terminal.ts'

const options = {
  'forward-to': {
    type: 'string',
    value: 'URL',
    help: 'Local URL that receives the events. Omit it to print them only',
  },
  events: {
    type: 'string',
    multiple: true,
    value: 'TYPES',
    help: 'Types such as email.bounced,files.*',
    choices: 'patterns',
  },
  secret: {
    type: 'string',
    value: 'WHSEC',
    help: 'Secret of the signatures: @FILE, - for the standard input, or text. Default: a secret of this computer',
  },
  concurrency: { type: 'string', value: 'N', help: 'Events to forward at the same time, 1 to 32. Default: 8' },
  'from-now': { type: 'boolean', help: 'Skip events that happened while the command was not running' },
  'print-json': { type: 'boolean', help: 'Print the body of each event as JSON' },
  'print-secret': { type: 'boolean', help: 'Print the secret of the signatures, and end' },
} as const

export const listen = command({
  name: 'listen',
  summary: 'Forward webhook events to a server on this computer',
  details: `Requests are signed according to Standard Webhooks. After a restart, the command continues after the last event.
While the local server is not reachable, the events wait. An event can arrive more than once.`,
  options,
  examples: [
    'millrace-cli listen --forward-to localhost:3000/hooks',
    "millrace-cli listen --forward-to 3000/hooks --events 'email.*'",
    'millrace-cli listen --print-json | jq .type',
  ],
  async run(given) {
    const { values, common, terminal } = given
    const target = values['forward-to'] === undefined ? undefined : targetUrl(values['forward-to'])
    const concurrency = wholeNumber('concurrency', values.concurrency, 1, 32, 8)
    const own = values.secret === undefined ? undefined : checkedSecret((await readText(values.secret)).trim())
    const connection = await connect(common)
    const secret = own ?? (await localSecret(connection.login, connection.url))
    if (values['print-secret']) return terminal.print(secret)
    const types = wordsOf(values.events).sort().join(',') || undefined
    const position = new Position({
      url: connection.url,
      owner: ownerOf(connection),
      target: target ?? '',
      types: types ?? '*',
    })
    const after = values['from-now'] ? undefined : await position.read()
    introduce(given, connection, { target, secret, continues: after !== undefined })
    await follow(given, connection, { target, secret, types, concurrency, position, after })
    return exitStatus.done
  },
})

/** A test key receives only test events, so it has its own position. */
function ownerOf({ login, key, profile }: Connection): string {
  const id = profile?.organisation?.id
  return id ? `${login} ${id} ${profile?.mode}` : createHash('sha256').update(key).digest('hex').slice(0, 16)
}

type Given = Run<typeof options>

interface Following {
  target: string | undefined
  secret: string
  types: string | undefined
  concurrency: number
  position: Position
  after: string | undefined
}

function introduce(
  { terminal }: Given,
  { url }: Connection,
  { target, secret, continues }: { target: string | undefined; secret: string; continues: boolean },
): void {
  terminal.note(`Listening to ${url}${target ? `, forwarding to ${target}` : ''}. Press Ctrl-C to end.`)
  if (target) terminal.note(`Webhook secret: ${paint('bold', secret)}`)
  if (continues) terminal.note('Continuing after the last event of the previous run.')
}

async function follow(
  { values, terminal, signal }: Given,
  connection: Connection,
  following: Following,
): Promise<void> {
  const { target, secret, types, concurrency, position, after } = following
  const listener = new Listener({
    terminal,
    target,
    secret,
    concurrency,
    position,
    signal,
    printJson: values['print-json'],
  })
  let [lost, opened] = [false, false]
  const feed = followFeed(connection, {
    path: '/v1/account/events/stream',
    query: { types },
    after,
    signal: listener.signal,
    onOpen() {
      if (lost || !opened) terminal.note(lost ? 'Connected again.' : 'Connected.')
      lost = false
      opened = true
    },
    onLost(reason, seconds) {
      lost = true
      terminal.note(`The connection to ${connection.url} was lost: ${reason}. Next attempt in ${seconds} s.`)
    },
  })
  try {
    for await (const sent of feed) {
      if (sent.event === 'gap')
        terminal.note('Some events were deleted before you received them. Their retention time ended.')
      await listener.handle(sent.id, readEvent(sent))
    }
  } finally {
    await listener.finish()
  }
  terminal.note(listener.summary)
}
