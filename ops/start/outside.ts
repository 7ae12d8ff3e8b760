import pg from 'pg'
import { config } from '#lib/config.ts'
import { openStorage } from '#lib/storage/storage.ts'

const oldest = 15

const timeoutMs = 5_000

/** Throws an error that names the variable if a configured external service cannot be used. */
export async function checkExternalServices(): Promise<void> {
  if (config.DATABASE_URL) await checkDatabase(config.DATABASE_URL)
  if (config.DATABASE_POOLED_URL) {
    if (!config.DATABASE_URL) throw new Error('DATABASE_POOLED_URL: DATABASE_URL must name the same database.')
    await checkDatabase(config.DATABASE_POOLED_URL, 'DATABASE_POOLED_URL')
  }
  if (config.S3_ENDPOINT) await demandStore()
}

/** Throws an error that names the variable if the configured database cannot be used. */
export async function checkDatabase(url: string, name = 'DATABASE_URL'): Promise<void> {
  const { host, pathname } = new URL(url)
  const fault = (why: string) => new Error(`${name}: the database ${host}${pathname} ${why}`)
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: timeoutMs })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query("select current_setting('server_version') as version")
    const version: string = rows[0].version
    if (Number.parseInt(version, 10) < oldest)
      throw fault(`is Postgres ${version}. Version ${oldest} or later is required.`)
  } catch (error) {
    if (error instanceof Error && error.message.startsWith(name)) throw error
    throw fault(`cannot be used: ${reasonOf(error)}`)
  } finally {
    await client.end().catch(() => {})
  }
}

async function demandStore(): Promise<void> {
  try {
    await openStorage().check(AbortSignal.timeout(timeoutMs))
  } catch (error) {
    const { $metadata } = error as { $metadata?: { httpStatusCode?: number } }
    const status = $metadata?.httpStatusCode
    if (status === 404)
      throw new Error(`S3_BUCKET: the bucket ${config.S3_BUCKET} does not exist at ${config.S3_ENDPOINT}.`)
    if (status === 403) {
      throw new Error(
        `S3_ACCESS_KEY and S3_SECRET_KEY: ${config.S3_ENDPOINT} does not accept them for ${config.S3_BUCKET}.`,
      )
    }
    throw new Error(`S3_ENDPOINT: the store at ${config.S3_ENDPOINT} cannot be used: ${reasonOf(error)}`)
  }
}

/** Returns the message of an error. If several addresses were tried, the message is in the parts of the error. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ')
  if (error instanceof DOMException || (error as Error).name === 'AbortError')
    return `no answer within ${timeoutMs / 1000} s`
  return (error as Error).message
}
