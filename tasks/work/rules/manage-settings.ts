import * as audit from '#sql/account/audit.ts'
import type { Db } from '#sql/db.ts'
import * as settings from '#sql/work/settings.ts'
import { readAuthority } from '../../account/rules/authority.ts'
import { type Doer, toAct } from '../../account/rules/doer.ts'
import { createSecret } from '../../webhooks/rules/secrets.ts'
import { ensureSecrets, getJobSeal, sealSecret } from './secrets.ts'

export interface SigningSecret {
  secret: string
  settings: settings.Settings
}

/** Returns the signing secret of jobs, and creates it on first use. The audit log records who has read it. */
export async function showSecret(tx: Db, doer: Doer): Promise<SigningSecret | null> {
  await readAuthority(tx, doer, 'areas:write')
  await ensureSecrets(tx, [doer.orgId])
  const found = (await settings.find(tx, doer.orgId)) as settings.Settings
  const secret = getJobSeal().open(found.secret, settings.getSecretContext(doer.orgId))
  if (secret === null) return null
  await audit.append(tx, { ...toAct(doer), action: 'job_secret.shown' })
  return { secret, settings: found }
}

/** Replaces the signing secret. The previous secret also signs for `keepMs` milliseconds. */
export async function rotateSecret(tx: Db, doer: Doer, keepMs: number): Promise<SigningSecret> {
  await readAuthority(tx, doer, 'areas:write')
  await ensureSecrets(tx, [doer.orgId])
  const secret = createSecret()
  const rotated = await settings.rotate(tx, doer.orgId, { secret: sealSecret(secret, doer.orgId), keepMs })
  await audit.append(tx, { ...toAct(doer), action: 'job_secret.rotated' })
  return { secret, settings: rotated }
}

/** Sets the days that ended jobs are kept. Null for the days of the installation. */
export async function setRetention(tx: Db, doer: Doer, days: number | null): Promise<settings.Settings> {
  await readAuthority(tx, doer, 'areas:write')
  await ensureSecrets(tx, [doer.orgId])
  const before = (await settings.find(tx, doer.orgId)) as settings.Settings
  if (before.retention_days === days) return before
  const change = { before: { retention_days: before.retention_days }, after: { retention_days: days } }
  await audit.append(tx, { ...toAct(doer), action: 'job_settings.changed', ...change })
  return await settings.setRetention(tx, doer.orgId, days)
}
