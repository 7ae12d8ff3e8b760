import { join } from 'node:path'
import { config } from '#lib/config.ts'
import { retryUntilConnected } from '#sql/once-connected.ts'
import { databaseUrl, ensureDatabase } from '../embedded/database.ts'
import { superuserUrl } from '../embedded/postgres.ts'
import { waitUntilUnused } from '../embedded/postgres-folder.ts'
import { migrateAll } from '../migrate.ts'
import { seedCompanies } from './dev-companies.ts'
import { seedDomain } from './dev-domain.ts'
import type { LastFacts } from './dev-facts.ts'
import { devKeys } from './dev-keys.ts'
import { seedTrust } from './dev-trust.ts'
import * as parts from './parts.ts'
import { preferPort } from './ports.ts'
import type { Secrets } from './secrets.ts'
import { seedSms } from './sms.ts'
import type { Part } from './supervise.ts'
import { withProgress } from './waiting.ts'
import { seedWhatsapp } from './whatsapp.ts'

export interface PlacedDatabase {
  url: string
  ports: Record<string, number>
  start(): Promise<void>
}

export async function placeDatabase({
  data,
  secrets,
  last,
  start,
}: {
  data: string
  secrets: Secrets
  last: LastFacts
  start: (...group: Part[]) => Promise<void>
}): Promise<PlacedDatabase> {
  if (config.DATABASE_URL) return { url: config.DATABASE_URL, ports: {}, start: async () => {} }
  const [host, dir, name] = ['127.0.0.1', join(data, 'postgres'), 'millrace']
  // After a kill, the last server can still be stopping on the port of the next one.
  await withProgress('checking that no other database runs in the folder', waitUntilUnused(dir))
  const port = await preferPort(host, last.ports?.postgres)
  const options = { dir, host, port, password: secrets.postgres_password }
  return {
    url: databaseUrl(superuserUrl(options), name, secrets.database_password),
    ports: { postgres: port },
    async start() {
      await start(parts.postgres(options))
      await ensureDatabase(superuserUrl(options), name, secrets.database_password)
    },
  }
}

export async function prepareDatabase(
  { last, stop, secrets }: { last: LastFacts; stop: AbortSignal; secrets: Secrets },
  { url, start }: PlacedDatabase,
  signingSecret: string,
): Promise<Record<string, string>> {
  await start()
  await withProgress('updating the database', migrateAll(url))
  stop.throwIfAborted()
  const keys = await retryUntilConnected(() => devKeys(url, last.keys ?? {}), { signal: stop })
  await withProgress('adding the development data', seed(url, signingSecret, secrets, stop))
  return keys
}

async function seed(url: string, signingSecret: string, secrets: Secrets, stop: AbortSignal): Promise<void> {
  await retryUntilConnected(() => seedDomain(url, signingSecret), { signal: stop })
  await retryUntilConnected(() => seedSms(url, signingSecret, secrets.sms_auth_token), { signal: stop })
  const rest = [seedTrust, seedCompanies, seedWhatsapp]
  await Promise.all(rest.map((put) => retryUntilConnected(() => put(url), { signal: stop })))
}
