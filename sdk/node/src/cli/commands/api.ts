import { pipeline } from 'node:stream/promises'
import { MillraceError, toAPIError } from '../../errors.ts'
import { command, type Run } from '../command.ts'
import { type Connection, connect } from '../connection.ts'
import { exitStatus } from '../exit-status.ts'
import { reportFailure } from '../failures.ts'
import { jsonValue } from '../json-input.ts'
import { clean, jsonText, type Terminal } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'

const verbs = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const

const options = {
  data: { type: 'string', short: 'd', value: 'JSON', help: 'Request body: JSON, @FILE, or - for the standard input' },
  query: { type: 'string', short: 'q', multiple: true, value: 'NAME=VALUE', help: 'Query parameter' },
  header: { type: 'string', short: 'H', multiple: true, value: 'NAME:VALUE', help: 'Request header' },
  include: { type: 'boolean', short: 'i', help: 'Print the status and the headers of the response' },
} as const

const wrongPath = 'PATH must start with /, such as /v1/account/keys.'

type Given = Run<typeof options>

export const api = command({
  name: 'api',
  summary: 'Call any operation of the API',
  operands: [
    { name: 'METHOD', help: verbs.join(', '), choices: verbs },
    { name: 'PATH', help: 'Path of the operation, such as /v1/account/keys' },
  ],
  options,
  examples: [
    'millrace-cli api GET /send/v1/messages -q limit=5',
    `millrace-cli api POST /push/v1/apps -d '{"name":"Shop"}'`,
  ],
  async run(given) {
    const { operands, values, common, signal } = given
    const verb = verbOf(operands[0] as string)
    const body = values.data === undefined ? undefined : JSON.stringify(await jsonValue('--data', values.data))
    if (body !== undefined && (verb === 'GET' || verb === 'HEAD'))
      throw new UsageError(`--data cannot be used with ${verb}.`, 'api')
    if (!(operands[1] as string).startsWith('/')) throw new UsageError(wrongPath, 'api')
    const connection = await connect(common)
    const headers = {
      ...headersOf(values.header),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    }
    const address = addressOf(connection, operands[1] as string, values.query)
    const init = {
      method: verb,
      headers: { ...headers, authorization: `Bearer ${connection.key}` },
      signal,
      redirect: 'manual',
    } as const
    const response = await fetch(address, body === undefined ? init : { ...init, body }).catch((failure) => {
      signal.throwIfAborted()
      throw new MillraceError(
        `The server cannot be reached: ${failure.cause?.code ?? failure.message}. Check the URL and the network.`,
      )
    })
    return await show(given, response)
  },
})

function verbOf(text: string): string {
  const verb = text.toUpperCase()
  if (verbs.some((one) => one === verb)) return verb
  throw new UsageError(`METHOD must be ${verbs.join(', ')}.`, 'api')
}

/** Returns the URL of a path. The key is sent only to the server of the connection. */
function addressOf({ url }: Connection, path: string, query: readonly string[]): string {
  const address = path.startsWith('/') && URL.canParse(url + path) ? new URL(url + path) : undefined
  if (!address || address.origin !== new URL(url).origin) throw new UsageError(wrongPath, 'api')
  for (const parameter of query) {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(parameter) ?? []
    if (name === undefined || value === undefined) throw new UsageError('--query must be NAME=VALUE.', 'api')
    address.searchParams.append(name, value)
  }
  return address.href
}

function headersOf(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((header) => {
      const [, name = '', value = ''] = /^([\w-]+):([\t\x20-\x7e]*)$/.exec(header) ?? []
      if (name === '') throw new UsageError('--header must be NAME:VALUE.', 'api')
      return [name.toLowerCase(), value.trim()]
    }),
  )
}

async function show({ values, terminal }: Given, response: Response): Promise<number> {
  if (values.include) terminal.print(headOf(response))
  const isJson = /^application\/(.+\+)?json/.test(response.headers.get('content-type') ?? '')
  const text = isJson || response.status >= 400 ? await response.text() : ''
  if (isJson) printText(terminal, text)
  else if (response.status < 400) await printBytes(response)
  if (response.status < 400) return exitStatus.done
  return reportFailure(toAPIError(response, text), terminal.json)
}

const headOf = ({ status, statusText, headers }: Response): string =>
  [`${status} ${statusText}`.trim(), ...[...headers].map(([name, value]) => `${name}: ${value}`), '']
    .map(clean)
    .join('\n')

/** Prints a body that is not JSON. A terminal gets text without control characters, and a program gets the bytes. */
async function printBytes(response: Response): Promise<void> {
  if (!process.stdout.isTTY) return await pipeline(response.body ?? [], process.stdout, { end: false })
  const lines = (await response.text()).split('\n')
  process.stdout.write(`${lines.map(clean).join('\n')}\n`)
}

function printText(terminal: Terminal, text: string): void {
  if (text === '') return
  terminal.print(process.stdout.isTTY ? jsonText(JSON.parse(text), 2) : text)
}
