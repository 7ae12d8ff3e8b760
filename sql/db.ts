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
import './transaction-start.ts'
import { observePool } from './pool-gauges.ts'
import { isPooled } from './session-url.ts'
import { makeStorable } from './storable.ts'

/** A pool or a transaction: the first parameter of every query function. */
export type Db = CommonQueryMethods

export type { DatabasePool }

const tag = createSqlTag({
  typeAliases: { void: z.object({}).strict(), count: z.object({ count: z.coerce.number() }) },
})

/**
 * Builds queries. `sql.type(Schema)` sets the row type of a query and validates each row. `sql.jsonb` accepts any
 * string. The library’s function throws for a NUL character, which `storable` replaces.
 */
export const sql = { ...tag, jsonb: (value: unknown) => tag.fragment`${JSON.stringify(value)}::jsonb` }

/** Parses each row by the schema of its query. A changed column then fails in the query that reads it. */
const parseRows: Interceptor = {
  name: 'parse-rows',
  transformRow: (context, query, row) => {
    const schema = context.resultParser as z.ZodType | undefined
    if (!schema) return row
    // Without the compiler of zod: many schemas are created for one query, and compiling one costs as much as 100 rows.
    const parsed = schema.safeParse(row, { jitless: true })
    if (!parsed.success) throw new SchemaValidationError(query, row, parsed.error.issues)
    return parsed.data as QueryResultRow
  },
}

/** Makes all query values storable, so that no external string makes a statement fail. */
const storableTexts: Interceptor = { name: 'storable-texts', transformQuery: (_, query) => makeStorable(query) }

/**
 * Sends each query without a prepared statement. Behind a pooler, the next session may not have the prepared statement,
 * or may already have one with the same name.
 */
const unprepared: Interceptor = {
  name: 'unprepared',
  transformQuery: (_, { name: _name, ...query }) => query,
}

/** Parses times as `Date`, `bigint` columns as numbers (all values are under 2^53), and JSON as values. */
const typeParsers = [
  { name: 'timestamptz', parse: (value: string | null) => (value === null ? null : new Date(value)) },
  { name: 'int8', parse: (value: string | null) => (value === null ? null : Number(value)) },
  { name: 'numeric', parse: (value: string | null) => (value === null ? null : Number(value)) },
]

/**
 * Opens a pool of up to `size` connections. A lost server is logged and never throws an uncaught error. The server
 * rolls back transactions that are idle for `idle` milliseconds. Statements time out after `statement` milliseconds.
 * Conflicts with other transactions (class 40) are retried `again` times.
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
    // If this process gets no processor time for seconds, it must not treat the server as unavailable.
    connectionTimeout: 5_000,
    connectionRetryLimit: 0,
    queryRetryLimit: again,
    transactionRetryLimit: again,
    statementTimeout: statement,
    idleInTransactionSessionTimeout: idle,
    // Sessions have no state to reset. The default DISCARD ALL would cost one round trip per use.
    resetConnection: async () => {},
  })
  pool.on('error', (error) => log.debug({ err: error.message }, 'database connection failed'))
  carryProblems(pool, ofUrl(url))
  observePool(pool)
  return pool
}

/**
 * If the work on a connection throws, Slonik destroys the connection. Each new connection costs a Postgres backend. A
 * `Problem` does not mean that the connection is broken. So the transaction returns a `Problem` as a value after the
 * rollback, and the caller throws it.
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

function ofUrl(url: string): object {
  const database = databases.get(url) ?? {}
  databases.set(url, database)
  return database
}

function mark<C extends Db>(connection: C, database: object): C {
  const transaction: C['transaction'] = connection.transaction.bind(connection)
  const marked: Db['transaction'] = (work, retries) => transaction((tx) => work(mark(tx, database)), retries)
  return Object.assign(connection, { transaction: marked, [databaseKey]: database })
}

/**
 * Returns the key object for the data that this process stores per database. All pools with the same URL and their
 * transactions share this object.
 */
export function getDatabaseObject(db: Db): object {
  const database = (db as { [databaseKey]?: object })[databaseKey]
  if (!database) throw new Error('This is not a pool from openPool, and not a transaction of one.')
  return database
}

/**
 * Error codes of the server (no free connection, shutdown, crash, startup, now a standby, class 08) and of the system,
 * for a refused or broken connection.
 */
const cutOffCode =
  /^(53300|57P0[123]|25006|08...|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)$/

const cutOffMessage =
  /^(timeout expired|timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|Client was closed)/

/** True if an error or its cause means that the database refused or closed a connection. */
export function isDisconnected(error: unknown): boolean {
  for (let e = error; e instanceof Error; e = e.cause) {
    if (cutOff.some((kind) => e instanceof kind)) return true
    if ('code' in e && cutOffCode.test(String(e.code))) return true
    if (cutOffMessage.test(e.message)) return true
  }
  return false
}

/** True if an error means that no connection was opened. No statement was sent, so a retry is safe. */
export function isUnconnected(error: unknown): boolean {
  for (let e = error; e instanceof Error; e = e.cause) {
    if ('code' in e && /^(53300|57P03|ECONNREFUSED)$/.test(String(e.code))) return true
    if (/^timeout expired/.test(e.message)) return true
  }
  return false
}

/**
 * True if an error or its cause means that Postgres rejects a value (class 22: a NUL character, a number out of range).
 */
export function isDataFault(error: unknown): boolean {
  for (let e = error; e instanceof Error; e = e.cause) {
    // Slonik omits the code 22P02.
    if (e instanceof InvalidInputError || ('code' in e && /^22/.test(String(e.code)))) return true
  }
  return false
}

/**
 * True if an error can be caused by one of the written rows: its data, a constraint, a limit, or the code that reads
 * it. False for errors of the connection, the server or another transaction, where a retry is useful.
 */
export function isRowFault(error: unknown): boolean {
  if (isDisconnected(error)) return false
  for (let e = error; e instanceof Error; e = e.cause) {
    if ('code' in e && typeof e.code === 'string') return /^(2[123]|54|P0)...$/.test(e.code)
  }
  return true
}

const cutOff = [ConnectionError, BackendTerminatedError, BackendTerminatedUnexpectedlyError]

/** Opens a pool when the database is available. If the database is unavailable, waits and logs this once. */
export async function openPoolOnceUp(url: string, size: number): Promise<DatabasePool> {
  for (let isLogged = false; ; isLogged = true) {
    try {
      return await openPool(url, size)
    } catch (error) {
      if (!isLogged) log.warn({ err: describe(error) }, 'waiting for the database of DATABASE_URL')
      await pause(500)
    }
  }
}
