#!/usr/bin/env node
/** `millrace-outbox`: installs the outbox in the database of an application, and sends its rows. */
import type { Pool as PgPool } from 'pg'
import { MillraceError } from '../errors.ts'
import { databaseUrl, keyReader, readCommand, UsageError, usage, type Values, wholeNumber } from './command-line.ts'
import type { OutboxPool } from './database.ts'
import { serveMetrics } from './monitor.ts'
import type { RelayOptions } from './options.ts'
import { type Relay, startRelay } from './relay.ts'
import { installSql, uninstallSql } from './sql/install.ts'
import { readVersion } from './version.ts'

const print = (text: string) => process.stdout.write(text.endsWith('\n') ? text : `${text}\n`)

const log = (level: string, message: string) =>
  process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), level, message })}\n`)

/** Opens a pool. `pg` is installed by the application. */
async function openPool(values: Values, max: number): Promise<PgPool> {
  const connectionString = databaseUrl(values)
  const pg = await import('pg').catch(() => {
    throw new MillraceError('The package `pg` is missing. Install it with `npm i pg`.')
  })
  const Pool = pg.Pool ?? pg.default.Pool
  return new Pool({
    ...{ connectionString, max, connectionTimeoutMillis: 10_000, keepAlive: true },
    application_name: 'millrace-outbox',
  })
}

async function withPool<Result>(values: Values, work: (pool: PgPool) => Promise<Result>): Promise<Result> {
  const pool = await openPool(values, 1)
  pool.on('error', () => {})
  try {
    return await work(pool)
  } finally {
    await pool.end()
  }
}

async function changeSchema(values: Values, text: string): Promise<void> {
  if (values.print) return void print(text)
  await withPool(values, async (pool) => {
    const client = await pool.connect()
    try {
      await client.query(text)
    } catch (error) {
      await client.query('rollback').catch(() => {})
      throw error
    } finally {
      client.release()
    }
  })
}

const grantsOf = (values: Values) => ({ grant: values.grant ?? [], relay: values['relay-role'] ?? [] })

async function upgrade(values: Values): Promise<void> {
  if (!values.print && (await withPool(values, readVersion)) === undefined)
    throw new MillraceError('The database has no outbox. Run `millrace-outbox install`.')
  await changeSchema(values, installSql(grantsOf(values)))
}

async function showStatus(values: Values): Promise<void> {
  await withPool(values, async (pool) => {
    const version = await readVersion(pool)
    if (version === undefined) throw new MillraceError('The database has no outbox. Run `millrace-outbox install`.')
    const { rows } = await pool.query('select * from millrace.lag')
    print(JSON.stringify({ version, ...rows[0] }, undefined, 2))
  })
}

function relayOptions(values: Values): RelayOptions {
  const timeout = wholeNumber(values, 'timeout', 1, 600)
  return {
    baseUrl: values.url,
    apiKey: keyReader(values),
    concurrency: wholeNumber(values, 'concurrency', 1, 256),
    keepSentHours: wholeNumber(values, 'keep-sent', 0, 8_760),
    timeoutMs: timeout === undefined ? undefined : timeout * 1_000,
    strict: values.strict,
    session: !values['no-session'],
    onLog: ({ level, message }) => log(level, message),
  }
}

async function relay(values: Values): Promise<void> {
  const options = relayOptions(values)
  const port = wholeNumber(values, 'metrics-port', 1, 65_535)
  const pool = await openPool(values, 4)
  const running = await startWhenPossible(pool, options)
  const monitor =
    port === undefined ? undefined : await serveMetrics(running, values['metrics-host'] ?? '127.0.0.1', port)
  log('info', 'The relay runs.')
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve())
  })
  await running.stop()
  monitor?.close()
  await pool.end()
  log('info', 'The relay has stopped.')
}

/** Starts the relay. While the database is unavailable, tries again. */
async function startWhenPossible(pool: OutboxPool, options: RelayOptions): Promise<Relay> {
  for (;;) {
    try {
      return await startRelay(pool, options)
    } catch (error) {
      if (error instanceof MillraceError) throw error
      if (!isUnavailable(error)) throw error
      log('error', `The database of the outbox failed: ${(error as Error).message}`)
      await new Promise((resolve) => setTimeout(resolve, 1_000))
    }
  }
}

/** True if a database may be available later: no connection, a start, a shutdown, or too many connections. */
function isUnavailable(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  return /^(E[A-Z]+|08...|57P..|53...)$/.test(code) || /timeout|terminated/i.test(message)
}

async function run(args: string[]): Promise<void> {
  const { command, values } = readCommand(args)
  if (command === 'help') return void print(usage)
  if (command === 'install') return await changeSchema(values, installSql(grantsOf(values)))
  if (command === 'upgrade') return await upgrade(values)
  if (command === 'uninstall') return await changeSchema(values, uninstallSql({ discard: values.discard ?? false }))
  if (command === 'status') return await showStatus(values)
  await relay(values)
}

run(process.argv.slice(2)).catch((error: Error) => {
  const wrong = error instanceof UsageError
  process.stderr.write(`millrace-outbox: ${error.message}\n${wrong ? '\nSee millrace-outbox --help.\n' : ''}`)
  process.exit(wrong ? 2 : 1)
})
