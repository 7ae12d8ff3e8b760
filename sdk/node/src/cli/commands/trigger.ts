import { knownEventTypes } from '../../generated/events.ts'
import { command } from '../command.ts'
import { connect } from '../connection.ts'
import { jsonObject } from '../json-input.ts'
import { clean } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'

interface Triggered {
  id: string
  /** True if clients of the event stream receive the event. */
  streamed: boolean
  /** IDs of the webhooks that receive the event. */
  webhooks: string[]
}

export const trigger = command({
  name: 'trigger',
  summary: 'Send a sample event to `listen` and to your webhooks',
  operands: [{ name: 'EVENT', help: 'Event type, such as email.bounced', choices: 'events', optional: true }],
  options: {
    data: {
      type: 'string',
      short: 'd',
      value: 'JSON',
      help: 'Fields that replace the sample data: JSON, @FILE, or - for the standard input',
    },
    webhook: {
      type: 'string',
      value: 'ID',
      help: 'Send the event to this webhook. Default: all webhooks with the mode test',
    },
    list: { type: 'boolean', help: 'Print the event types' },
  },
  examples: [
    'millrace-cli trigger email.bounced',
    `millrace-cli trigger email.bounced --data '{"to":"ann@example.org"}'`,
  ],
  async run({ values, operands: [type], common, terminal }) {
    if (values.list) return terminal.print([...knownEventTypes].sort().join('\n'))
    if (type === undefined) throw new UsageError('`trigger` needs EVENT. To see all types, add --list.', 'trigger')
    const data = values.data === undefined ? undefined : await jsonObject('--data', values.data)
    const { transport } = await connect(common)
    const body = { type, ...(data ? { data } : {}), ...(values.webhook ? { webhook_id: values.webhook } : {}) }
    const event = await transport.json<Triggered>({ verb: 'POST', path: '/v1/account/events/trigger', body })
    if (terminal.json) return terminal.printJson(event)
    terminal.print(`Sent ${type} as ${clean(event.id)}.`)
    const { length: webhooks } = event.webhooks
    if (event.streamed) terminal.note('`listen` receives the event.')
    if (webhooks > 0)
      terminal.note(`${webhooks === 1 ? '1 webhook receives' : `${webhooks} webhooks receive`} the event.`)
    if (!event.streamed && webhooks === 0)
      terminal.note('Nothing receives the event. Start `millrace-cli listen` first.')
  },
})
