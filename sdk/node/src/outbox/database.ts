/** The part of a `pg` client that the outbox uses. */
export interface OutboxClient {
  // biome-ignore lint/suspicious/noExplicitAny: rows have any shape.
  query(text: string, values?: unknown[]): Promise<{ rows: any[]; rowCount: number | null }>
  on(event: 'notification' | 'error' | 'end', listener: (about: unknown) => void): unknown
  release(destroy?: boolean | Error): void
}

interface Query {
  name?: string
  text: string
  values?: unknown[]
  query_timeout?: number
}

/** The part of a `pg` pool that the outbox uses. */
export interface OutboxPool {
  options?: { max?: number | undefined }
  // biome-ignore lint/suspicious/noExplicitAny: rows have any shape.
  query(query: Query): Promise<{ rows: any[]; rowCount: number | null }>
  connect(): Promise<OutboxClient>
  on(event: 'error', listener: (error: Error) => void): unknown
  off(event: 'error', listener: (error: Error) => void): unknown
}

export type Database = ReturnType<typeof openDatabase>

/** A query without an answer fails after this time. Without it, a lost network would stop the relay for hours. */
export const answerMs = 30_000

/** Runs statements of a pool. With `prepare`, the server keeps the plan of each named statement. */
export const openDatabase = (pool: OutboxPool, prepare: boolean, ms: number) => ({
  query: (name: string, text: string, values: unknown[] = []) => {
    const named = prepare ? { name: `millrace_${name}` } : {}
    // `pg` closes the connection of a query that takes too long. The wait for a connection needs its own limit.
    return within(pool.query({ text, values, query_timeout: ms, ...named }), ms * 2)
  },
})

/** Throws if the database does not answer within `ms` milliseconds. */
export async function within<Answer>(answer: Promise<Answer>, ms = answerMs): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`timeout: no answer within ${ms / 1_000} seconds`)), ms)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}

/** A row that this relay has claimed. */
export interface ClaimedRow {
  seq: string
  id: string
  operation: string
  params: Record<string, string>
  /** JSON text. Null without a body, and for large bodies, which are read when they are sent. */
  body: string | null
  bytes: number
  key: string | null
  attempts: number
  /** Time of the earliest attempt before this claim whose result is unknown. */
  uncertain_before: Date | null
  /** True if this time is too long ago for a repetition, because Millrace has forgotten the idempotency key. */
  stale: boolean
  /** End of the claim, by the clock of `performance.now()`. */
  until: number
}

/** Returns the SQLSTATE or the error code of a failed query. */
export const codeOf = (error: unknown): string => String((error as { code?: unknown } | undefined)?.code ?? '')

/** Returns a text that Postgres can store, with at most `length` characters. */
export const storable = (text: string, length: number): string => {
  const cut = text.slice(0, length).replaceAll('\0', '')
  return Buffer.from(cut, 'utf8').toString('utf8')
}

/** Returns JSON text that Postgres can store as `jsonb`, or null. */
export function storableJson(value: unknown, maxBytes: number): string | null {
  if (value === undefined || value === null || !isShallow(value, 100)) return null
  const text = JSON.stringify(value)
  if (text === undefined || text.length > maxBytes || /\\u(0000|d[89a-f])/i.test(text)) return null
  return text
}

/** False for JSON that is nested so deeply that it would exhaust a stack, here or in Postgres. */
const isShallow = (value: unknown, levels: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (levels > 0 && Object.values(value).every((inner) => isShallow(inner, levels - 1)))
