import { MillraceError } from '../errors.ts'
import { type OutboxOperation, outboxOperations } from '../generated/outbox.ts'
import { setting } from '../transport.ts'
import type { ClaimedRow } from './database.ts'
import type { RelayOptions } from './options.ts'
import { judgeFailure, judgeReply, type Outcome } from './outcomes.ts'
import { Requests } from './requests.ts'

const operations = new Map(outboxOperations.map((operation) => [operation[0], operation]))

/** Sends rows to Millrace. */
export class Sender {
  readonly #requests: Requests
  readonly #readKey: () => string | Promise<string>
  #key: string

  static async create({
    baseUrl = setting('MILLRACE_BASE_URL'),
    apiKey,
    timeoutMs = 60_000,
  }: RelayOptions): Promise<Sender> {
    const given = apiKey ?? setting('MILLRACE_API_KEY')
    const readKey = typeof given === 'function' ? given : () => given ?? ''
    return new Sender(new Requests(baseUrl, timeoutMs), readKey, checkedKey(await readKey()))
  }

  private constructor(requests: Requests, readKey: () => string | Promise<string>, key: string) {
    this.#requests = requests
    this.#readKey = readKey
    this.#key = key
  }

  async send(row: ClaimedRow, body: string | null, signal: AbortSignal): Promise<Outcome> {
    const operation = operations.get(row.operation)
    if (!operation) return unknownOperation(row)
    const headers: Record<string, string> = {
      accept: 'application/json',
      authorization: `Bearer ${this.#key}`,
      'idempotency-key': row.id,
      'user-agent': 'millrace-outbox/1.0.0',
    }
    const text = operation[3] === 'none' ? undefined : (body ?? '{}')
    if (text !== undefined) headers['content-type'] = 'application/json'
    const request = { verb: operation[1], path: pathOf(operation, row), headers, body: text, signal }
    try {
      const outcome = judgeReply(await this.#requests.send(request), row)
      if (outcome.kind === 'later' && outcome.refusal.status === 401) await this.#renewKey()
      return outcome
    } catch (failure) {
      return judgeFailure(failure, row)
    }
  }

  close(): void {
    this.#requests.close()
  }

  /** Reads the key again, because it may have been replaced. */
  async #renewKey(): Promise<void> {
    try {
      this.#key = checkedKey(await this.#readKey())
    } catch {
      // The former key stays. The response says that it is invalid.
    }
  }
}

const pathOf = ([, , path]: OutboxOperation, { params }: ClaimedRow): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))

function unknownOperation({ operation }: ClaimedRow): Outcome {
  const message = `This relay does not know ${operation}. Use a newer millrace package. Then call millrace.retry.`
  return { kind: 'refused', refusal: { status: null, code: 'unknown_operation', message } }
}

/** Returns a valid API key. The message of the error does not contain the key. */
function checkedKey(key: string): string {
  const trimmed = key.trim()
  if (trimmed === '')
    throw new MillraceError('The relay needs an API key. Set MILLRACE_API_KEY, or pass `apiKey` (command: --key-file).')
  if (!/^[\x21-\x7e]+$/.test(trimmed)) throw new MillraceError('The API key contains an invalid character.')
  return trimmed
}
