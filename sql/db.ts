import { setTimeout as pause } from 'node:timers/promises'
import {
  BackendTerminatedError,
  BackendTerminatedUnexpectedlyError,
  type CommonQueryMethods,
  ConnectionError,
  createPool,
  createSqlTag,
  type DatabasePool,
  type Interceptor,
  InvalidInputError,
  type QueryResultRow,
  SchemaValidationError,
} from 'slonik'
import { z } from 'zod'
import { describe, Problem } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import './client-errors.ts'
import { observePool } from './pool-gauges.ts'
import { isPooled } from './session-url.ts'
import { storable } from './storable.ts'

/** A pool or a transaction: what every query function takes first. */
export type Db = CommonQueryMethods

/** The pool itself, for those who open transactions or end it. */
export type { DatabasePool }

const tag = createSqlTag({
  typeAliases: { void: z.object({}).strict(), count: z.object({ count: z.coerce.number() }) },
})

/**
 * Builds queries; `sql.type(Schema)` gives them their row type and has each row checked by it. `sql.jsonb` takes any text: that of
 * the library throws for a NUL, which `storable` replaces.
 */
export const sql = { ...tag, jsonb: (value: unknown) => tag.fragment`${JSON.stringify(value)}::jsonb` }

/** Parses each row by the schema of its query, so that a drifted column fails at once and where it is read. */
const parseRows: Interceptor = {
  name: 'parse-rows',
  transformRow: (context, query, row) => {
    const schema = context.resultParser as z.ZodType | undefined
    if (!schema) return row
    const parsed = schema.safeParse(row)
    if (!parsed.success) throw new SchemaValidationError(query, row, parsed.error.issues)
    return parsed.data as QueryResultRow
  },
}

/** The one door of all values: no text from outside fails a statement. */
const storableTexts: Interceptor = { name: 'storable-texts', transformQuery: (_, query) => storable(query) }

/** Sends each query whole: behind a pooler, a statement that one session has prepared is unknown to the next, or there already. */
const unprepared: Interceptor = {
  name: 'unprepared',
  transformQuery: (_, { name: _name, ...query }) => query,
}

/** Instants arrive as `Date`, `bigint` columns as numbers (all of ours stay under 2^53), json as parsed. */
const typeParsers = [
  { name: 'timestamptz', parse: (value: string | null) => (value === null ? null : new Date(value)) },
  { name: 'int8', parse: (value: string | null) => (value === null ? null : Number(value)) },
  { name: 'numeric', parse: (value: string | null) => (value === null ? null : Number(value)) },
]

/**
 * Opens a pool of at most `size` connections; a server that goes away is logged, never thrown at the process. A transaction in
 * which nothing is asked for `idle` milliseconds is undone by the server, and a statement that takes more than `statement` ends.
 * What stood in the way of others (class 40) is tried `again` times.
 */
export async function openPool(
  url: string,
  size = 10,
  idle = 30_000,
  statement = 30_000,
  again = 5,
): Promise<DatabasePool> {
  const pool = await createPool(url, {
    maxPoolSize: size,
    interceptors: isPooled(url) ? [parseRows, storableTexts, unprepared] : [parseRows, storableTexts],
    typeParsers,
    captureStackTrace: false,
    // A process that is starved of CPU for seconds must not take its own delay for the server's.
    connectionTimeout: 5_000,
    connectionRetryLimit: 0,
    queryRetryLimit: again,
    transactionRetryLimit: again,
    statementTimeout: statement,
    idleInTransactionSessionTimeout: idle,
    // Nothing of ours leaves session state behind; the default DISCARD ALL would cost a round trip each time.
    resetConnection: async () => {},
  })
  pool.on('error', (error) => log.debug({ err: error.message }, 'database connection failed'))
  carryProblems(pool, ofUrl(url))
  observePool(pool)
  return pool
}

/**
 * Slonik destroys the connection of work that throws, and each such connection costs a new Postgres backend. A `Problem` says
 * nothing of the connection: it leaves it as a value, after the rollback, and is thrown again outside.
 */
function carryProblems(pool: DatabasePool, database: object): void {
  const { connect } = pool
  const sound: DatabasePool['connect'] = async (work) => {
    const outcome = await connect(async (connection) => {
      try {
        return { result: await work(mark(connection, database)) }
      } catch (error) {
        if (error instanceof Problem) return { problem: error }
        throw error
      }
    })
    if (outcome.problem) throw outcome.problem
    return outcome.result as Awaited<ReturnType<typeof work>>
  }
  const transaction: DatabasePool['transaction'] = (work, retries) =>
    sound((connection) => connection.transaction(work, retries))
  Object.assign(pool, { connect: sound, transaction, [databaseKey]: database })
}

const databaseKey = Symbol('database')
const databases = new Map<string, object>()

/** The object of a database, by its URL. */
function ofUrl(url: string): object {
  const database = databases.get(url) ?? {}
  databases.set(url, database)
  return database
}

/** Marks a connection or a transaction, and all transactions in it, with its database. */
function mark<C extends Db>(connection: C, database: object): C {
  const transaction: C['transaction'] = connection.transaction.bind(connection)
  const marked: Db['transaction'] = (work, retries) => transaction((tx) => work(mark(tx, database)), retries)
  return Object.assign(connection, { transaction: marked, [databaseKey]: database })
}

/**
 * The object on which hangs what this process keeps of a database: one for all its pools on the same URL, and for the
 * transactions in them.
 */
export function databaseOf(db: Db): object {
  const database = (db as { [databaseKey]?: object })[databaseKey]
  if (!database) throw new Error('This is no pool that openPool has opened, and no transaction of one.')
  return database
}

/** Codes of the server (no room, shut down, crashed, starting up, a standby by now, class 08), and of the system, for a connection that is refused or broken. */
const cutOffCode =
  /^(53300|57P0[123]|25006|08...|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)$/

/** What the driver says, which has no code for it. */
const cutOffMessage =
  /^(timeout expired|timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|Client was closed)/

/** Whether an error, or what caused it, says that the database refused a connection, or closed one. */
export function isDisconnected(error: unknown): boolean {
  for (let e = error; e instanceof Error; e = e.cause) {
    if (cutOff.some((kind) => e instanceof kind)) return true
    if ('code' in e && cutOffCode.test(String(e.code))) return true
    if (cutOffMessage.test(e.message)) return true
  }
  return false
}

/** Whether an error says that no connection was made, so that nothing was sent and it is safe to retry. */
export function isUnconnected(error: unknown): boolean {
  for (let e = error; e instanceof Error; e = e.cause) {
    if ('code' in e && /^(53300|57P03|ECONNREFUSED)$/.test(String(e.code))) return true
    if (/^timeout expired/.test(e.message)) return true
  }
  return false
}

/** Whether an error, or what caused it, says that Postgres does not take a value (class 22: a zero character, a number too large). */
export function isDataFault(error: unknown): boolean {
  for (let e = error; e instanceof Error; e = e.cause) {
    // 22P02 loses its code in slonik.
    if (e instanceof InvalidInputError || ('code' in e && /^22/.test(String(e.code)))) return true
  }
  return false
}

/**
 * Whether an error may be the fault of one of the rows that were written: of its data, a constraint, a limit, or what our code
 * makes of it; not of the connection, the server or another transaction, for which a second try is as good as the first.
 */
export function isRowFault(error: unknown): boolean {
  if (isDisconnected(error)) return false
  for (let e = error; e instanceof Error; e = e.cause) {
    if ('code' in e && typeof e.code === 'string') return /^(2[123]|54|P0)...$/.test(e.code)
  }
  return true
}

const cutOff = [ConnectionError, BackendTerminatedError, BackendTerminatedUnexpectedlyError]

/** Opens a pool as soon as the database is there: a process that starts before it waits, and says so once. */
export async function openPoolOnceUp(url: string, size: number): Promise<DatabasePool> {
  for (let isLogged = false; ; isLogged = true) {
    try {
      return await openPool(url, size)
    } catch (error) {
      if (!isLogged) log.warn({ err: describe(error) }, 'waiting for the database that DATABASE_URL names')
      await pause(500)
    }
  }
}
