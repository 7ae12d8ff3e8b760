import { createSeal } from '#lib/seal.ts'
import * as closures from '#sql/account/closures.ts'
import { findSealed, listMigrations } from '#sql/account/move/checks.ts'
import { readMovedTables } from '#sql/account/move/tables.ts'
import * as orgs from '#sql/account/orgs.ts'
import { sealPurpose as identityProviders } from '#sql/account/people/connections.ts'
import * as plans from '#sql/account/plans.ts'
import * as platform from '#sql/account/platform.ts'
import { sealPurpose as botActions } from '#sql/bots/actions.ts'
import { sealPurpose as dkim } from '#sql/email/domains.ts'
import { sealPurpose as fileBuckets } from '#sql/files/buckets.ts'
import { sealPurpose as intake } from '#sql/intake/sources.ts'
import { sealPurpose as srt } from '#sql/live/channels.ts'
import { sealPurpose as restream } from '#sql/live/restreams.ts'
import { sealPurpose as push } from '#sql/push/credentials.ts'
import { sealPurpose as roomRestream } from '#sql/rooms/restreams.ts'
import { sealPurpose as sms } from '#sql/sms/providers.ts'
import { sealPurpose as certificates } from '#sql/video/certificates.ts'
import { sealPurpose as webhooks } from '#sql/webhooks/endpoints.ts'
import { sealPurpose as whatsapp } from '#sql/whatsapp/business-numbers.ts'
import { sealPurpose as work } from '#sql/work/settings.ts'
import { type Moving, type Side, stayingTables } from './plan.ts'

export const sealedColumns = [
  ['account.connections', 'client_secret', identityProviders],
  ['bots.actions', 'secret', botActions],
  ['email.dkim_keys', 'private_key', dkim],
  ['files.buckets', 'secret_key', fileBuckets],
  ['intake.sources', 'secrets', intake],
  ['live.channels', 'srt_passphrase', srt],
  ['live.restreams', 'stream_key', restream],
  ['notify.fetch_secrets', 'secret', webhooks],
  ['push.credentials', 'secret', push],
  ['rooms.restreams', 'stream_key', roomRestream],
  ['notify.connections', 'url', webhooks],
  ['sms.providers', 'secrets', sms],
  ['video.certificates', 'key', certificates],
  ['webhooks.endpoints', 'secret', webhooks],
  ['whatsapp.business_numbers', 'access_token', whatsapp],
  ['work.jobs', 'headers', work],
  ['work.settings', 'secret', work],
] as const

export async function findHindrances(
  moving: Pick<Moving, 'source' | 'target' | 'move'>,
  { secret, sameSecret }: { secret: string; sameSecret: boolean },
): Promise<readonly string[]> {
  const { source, target, move } = moving
  const org = await orgs.find(source.db, move.org_id)
  if (!org) return [`cell ${source.name} does not have this organisation`]
  const found: string[] = []
  if ((await platform.findOrgId(source.db)) === move.org_id) found.push('the platform sends its own email through it')
  const closure = await closures.find(source.db, move.org_id)
  if (closure && ['waiting', 'running'].includes(closure.state)) found.push('it is closed')
  const schema = await compareSchemas(source, target)
  if (schema.length > 0) return [...found, ...schema]
  if (await orgs.find(target.db, move.org_id)) found.push(`cell ${target.name} already has rows of it`)
  // The closure would delete rows and objects that arrive during the move.
  const ending = await closures.find(target.db, move.org_id)
  if (ending && ['waiting', 'running'].includes(ending.state))
    found.push(`cell ${target.name} is still deleting its earlier data`)
  if (!(await plans.list(target.db)).some(({ name }) => name === org.plan))
    found.push(`cell ${target.name} does not have the plan ${org.plan}`)
  found.push(...(await compareSecrets(moving, secret, sameSecret)))
  return found
}

async function compareSchemas(source: Side, target: Side): Promise<readonly string[]> {
  const [here, there] = await Promise.all([listMigrations(source.db), listMigrations(target.db)])
  const only = (some: readonly string[], others: readonly string[]) => some.filter((name) => !others.includes(name))
  const found: string[] = []
  for (const [side, names] of [
    [target, only(here, there)],
    [source, only(there, here)],
  ] as const) {
    if (names.length > 0)
      found.push(`cell ${side.name} does not have the migrations ${names.join(', ')}: run \`millrace migrate\``)
  }
  if (found.length > 0) return found
  const [ours, theirs] = await Promise.all([
    readMovedTables(source.db, stayingTables),
    readMovedTables(target.db, stayingTables),
  ])
  const shapes = new Map(theirs.map(({ name, columns, key }) => [name, JSON.stringify([columns, key])]))
  const unlike = ours.filter(({ name, columns, key }) => shapes.get(name) !== JSON.stringify([columns, key]))
  return unlike.length > 0 ? [`the cells have different columns in ${unlike.map(({ name }) => name).join(', ')}`] : []
}

/**
 * Checks that the target cell can open sealed values of the source. A sealed value starts with an identifier of its
 * secret.
 */
async function compareSecrets(
  { source, target }: Pick<Moving, 'source' | 'target'>,
  secret: string,
  sameSecret: boolean,
): Promise<readonly string[]> {
  let known = false
  for (const [table, column, purpose] of sealedColumns) {
    const { mark } = createSeal(secret, purpose)
    const [here, there] = [
      await findSealed(source.db, table, column, mark),
      await findSealed(target.db, table, column, mark),
    ]
    if (here.others && !here.ours) return ['SIGNING_SECRET here differs from that of the source cell']
    if (there.others && !there.ours)
      return [`SIGNING_SECRET of cell ${target.name} differs: that cell could not decrypt the sealed values`]
    known ||= there.ours
  }
  if (known || sameSecret) return []
  return [
    `cell ${target.name} has no sealed values to compare its SIGNING_SECRET with: use --same-secret if both secrets are the same`,
  ]
}
