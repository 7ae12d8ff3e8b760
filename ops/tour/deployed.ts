/**
 * Runs the tour on a deployment: creates the organisation `dev` in its database, then makes client calls to its
 * PUBLIC_URL.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { requireVariable } from '#lib/config.ts'
import { seedCompanies } from '../start/dev-companies.ts'
import { seedDomain } from '../start/dev-domain.ts'
import { seedGuard } from '../start/dev-guard.ts'
import { devKeys } from '../start/dev-keys.ts'
import { seedPush } from '../start/dev-push.ts'
import { seedTrust } from '../start/dev-trust.ts'
import { isTourDue } from './due.ts'
import { runTour, type TourApis } from './main.ts'

const base = requireVariable('PUBLIC_URL').replace(/(?<!\/)\/+$/, '')
const databaseUrl = requireVariable('DATABASE_URL')
const data = await mkdtemp(join(tmpdir(), 'millrace-tour-'))
try {
  await isTourDue(data, true)
  const failed = await runTour(data, await seed(), new AbortController().signal)
  process.exitCode = failed.length === 0 ? 0 : 1
} finally {
  await rm(data, { recursive: true, force: true })
}

/** Creates the same data as `npm start`. Email is not shown, because no mail catcher runs here. */
async function seed(): Promise<TourApis> {
  const keys = await devKeys(databaseUrl, {})
  await seedDomain(databaseUrl, requireVariable('SIGNING_SECRET'))
  await seedTrust(databaseUrl)
  await seedCompanies(databaseUrl)
  const api = (key = '') => ({ base, key })
  const app = { databaseUrl, baseUrl: base, last: undefined, keptKey: undefined }
  const push = await seedPush(api(keys.push), app)
  return {
    video: api(keys.stream),
    files: api(keys.platform),
    mail: undefined,
    push: { ...api(keys.push), appId: push.facts.app_id, publicKey: push.publicKey },
    guard: { ...api(keys.guard_server), siteKey: await seedGuard(api(keys.guard_server), base) },
    platform: api(keys.platform),
    whatsappUrl: undefined,
  }
}
