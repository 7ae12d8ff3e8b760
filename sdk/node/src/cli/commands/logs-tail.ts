import { command } from '../command.ts'
import { connect } from '../connection.ts'
import { followFeed } from '../event-feed.ts'
import { exitStatus } from '../exit-status.ts'
import { Recent } from '../recent.ts'
import { colourOfStatus, timeOf } from '../status-colour.ts'
import { clean, type Terminal } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'

/** A request as the request log has it. */
interface Entry {
  id: string
  created_at: string
  operation: string
  status: number
  code: string | null
  fields?: string[]
  ms: number
}

export const logsTail = command({
  name: 'logs tail',
  summary: 'Show new entries of the request log',
  details: 'The log has errors and a sample of the other requests.',
  options: {
    status: {
      type: 'string',
      value: 'STATUS',
      help: 'Status such as 404, or class such as 4xx',
      choices: ['2xx', '4xx', '5xx'],
    },
    operation: { type: 'string', value: 'NAME', help: 'Operation, such as email.messages.create' },
    key: { type: 'string', value: 'ID', help: 'ID of an API key' },
    since: {
      type: 'string',
      value: 'TIME',
      help: 'Start in the past: 15m, 2h, 1d, or a time such as 2027-01-31T09:00:00Z',
    },
    code: { type: 'string', value: 'CODE', help: 'Error code, such as validation_failed' },
  },
  examples: ['millrace-cli logs tail', 'millrace-cli logs tail --status 4xx --operation email.messages.create'],
  async run({ values, common, terminal, signal }) {
    const query = {
      ...statusFilter(values.status),
      operation: values.operation,
      key: values.key,
      code: values.code,
      since: startOf(values.since),
    }
    const connection = await connect(common)
    const feed = followFeed(connection, {
      ...{ path: '/v1/account/requests/stream', query, after: undefined, signal },
      onOpen: () => terminal.note(`Waiting for requests to ${connection.url}. Press Ctrl-C to end.`),
      onLost: (reason, seconds) => terminal.note(`The connection was lost: ${reason}. Next attempt in ${seconds} s.`),
    })
    const shown = new Recent(5_000)
    for await (const { event, data } of feed) {
      if (event === 'gap')
        terminal.note('Some requests were deleted before you received them. Their retention time ended.')
      // After a reconnection, the server repeats requests of the last minute.
      if (!isEntry(data) || !shown.add(data.id)) continue
      if (terminal.json) terminal.printJson(data)
      else show(terminal, data)
    }
    return exitStatus.done
  },
})

function statusFilter(text: string | undefined): { status?: number; class?: number } {
  if (text === undefined) return {}
  if (/^[1-5]xx$/i.test(text)) return { class: Number(text[0]) }
  if (/^[1-5]\d\d$/.test(text)) return { status: Number(text) }
  throw new UsageError('--status must be a status such as 404, or a class such as 4xx.', 'logs tail')
}

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

function startOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const [, count, unit] = /^(\d{1,5})([smhd])$/.exec(text) ?? []
  const time = count === undefined ? Date.parse(text) : Date.now() - Number(count) * unitMs[unit as keyof typeof unitMs]
  if (!Number.isNaN(time)) return new Date(time).toISOString()
  throw new UsageError('--since must be a duration such as 15m, or a time such as 2027-01-31T09:00:00Z.', 'logs tail')
}

const isEntry = (data: unknown): data is Entry =>
  typeof (data as Entry | undefined)?.operation === 'string' && typeof (data as Entry).status === 'number'

function show(terminal: Terminal, entry: Entry): void {
  const { id, created_at, operation, status, code, fields = [], ms } = entry
  const reason = [code, fields.join(', ')].filter(Boolean).map(clean).join(': ')
  terminal.print(
    [
      terminal.paint('dim', timeOf(created_at)),
      terminal.paint(colourOfStatus(status), String(status)),
      `${String(Math.round(ms)).padStart(5)} ms`,
      clean(operation).padEnd(36),
      terminal.paint('dim', clean(id)),
      reason,
    ]
      .join('  ')
      .trimEnd(),
  )
}
