import type { Command } from 'commander'
import { Problem } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { keyPrefixes } from '#lib/tokens.ts'
import { append } from '#sql/account/audit.ts'
import * as keys from '#sql/account/keys.ts'
import * as orgs from '#sql/account/orgs.ts'
import type { Db } from '#sql/db.ts'
import * as domains from '#sql/email/domains.ts'
import { RotationInput } from '#tasks/account/rules/key-input.ts'
import { auditedFields, endKey, lockLive, replaceSecret } from '#tasks/account/rules/keys.ts'
import { findOrg } from './filters.ts'
import { type KeyOptions, readKey } from './key-fit.ts'
import { type Column, dim, json, line, red, table, when } from './output.ts'
import { withDatabase } from './session.ts'
import { CommandError, OptionErrors, UsageError } from './usage.ts'

export function declare(program: Command): void {
  const command = program.command('keys').description('list, show, create, rotate and revoke API keys')
  command
    .command('list', { isDefault: true })
    .description('list keys, newest first; the secret of a key is never stored')
    .option('-o, --org <org>', 'filter by organisation (ID or name)')
    .option('-a, --all', 'include revoked keys')
    .option('--json', 'print JSON')
    .action(runList)
  command
    .command('create')
    .description('create a key and show it once')
    .requiredOption('-o, --org <org>', 'organisation ID or name')
    .requiredOption('-n, --name <name>', 'name of the key')
    .requiredOption('-s, --scopes <scopes>', 'scopes of the key, separated by commas')
    .option('--prefix <prefix>', keyPrefixes.join(', '), 'bt_live_')
    .option('--tenant <tenant_id>', 'files area: restrict the key to objects of this tenant')
    .option('--from-domains <domains>', 'email area: restrict the key to these sending domains, separated by commas')
    .option('--app <app_id>', 'push and notify areas: restrict the key to this app')
    .option('--site <site_id>', 'guard area: restrict the key to this site')
    .option('--origins <origins>', 'restrict the key to web pages of these origins, separated by commas')
    .option('--no-calls', 'voice area: make the key read-only')
    .option('--mode <mode>', 'live or test; messages of a test key are recorded and not delivered')
    .option('--expires <when>', 'expiry time, such as +90d or 2030-01-31T08:00:00Z')
    .option('--rate <requests>', 'maximum requests per minute, in addition to the plan’s limit')
    .option('--networks <networks>', 'restrict the key to these IP addresses and CIDR ranges, separated by commas')
    .option('--json', 'print JSON')
    .action(runCreate)
  command
    .command('show')
    .description('show one key, without its secret')
    .argument('<id>', 'key ID (see `millrace keys`)')
    .option('--json', 'print JSON')
    .action(runShow)
  command
    .command('rotate')
    .description('create a new secret for a key and show it once')
    .argument('<id>', 'key ID (see `millrace keys`)')
    .option('--keep-hours <hours>', 'time for which the previous secret remains valid, in hours, 0 to 168', '24')
    .option('--from <moment>', 'start of the --keep-hours period: now, or first_use of the new secret', 'now')
    .option('--json', 'print JSON')
    .action(runRotate)
  command
    .command('revoke')
    .description('revoke a key permanently; all processes reject it within seconds')
    .argument('<id>', 'key ID (see `millrace keys`)')
    .option('--json', 'print JSON')
    .action(runRevoke)
}

async function runList(options: { org?: string; all?: boolean; json?: boolean }): Promise<void> {
  const found = await withDatabase(async (db) => {
    const faults = new OptionErrors()
    const org = await faults.look('--org', options.org, (name) => findOrg(db, name))
    faults.demandNone()
    const all = await keys.listAny(db, { revoked: options.all ?? false })
    const chosen = org ? all.filter(({ org_id }) => org_id === org) : all
    const names = await orgs.names(
      db,
      chosen.map(({ org_id }) => org_id),
    )
    return chosen.map((key) => ({ ...key, org_name: names.get(key.org_id) ?? key.org_id }))
  })
  if (options.json) return json(found)
  table(found, columns, 'No keys.')
}

const locksOf = ({ locks }: keys.Key): string =>
  Object.entries(locks)
    .map(([name, value]) => `${name}=${Array.isArray(value) ? value.join('|') : value}`)
    .join(' ')

const columns: Column<keys.Key & { org_name: string }>[] = [
  { heading: 'ID', text: ({ id }) => id },
  { heading: 'NAME', text: ({ name }) => name },
  { heading: 'KIND', text: ({ prefix }) => prefix },
  { heading: 'SCOPES', text: ({ scopes }) => scopes.join(',') },
  { heading: 'LOCKS', text: locksOf },
  { heading: 'ORGANISATION', text: ({ org_name }) => org_name },
  { heading: 'MADE', right: true, text: ({ created_at }) => when(created_at) },
  { heading: 'USED', right: true, text: ({ last_used_at }) => (last_used_at ? when(last_used_at) : 'never') },
  { heading: '', text: stateOf },
]

function stateOf({ revoked_at, expires_at }: keys.Key): string {
  if (revoked_at) return red('revoked')
  if (!expires_at) return ''
  return expires_at.getTime() <= Date.now() ? red('expired') : `until ${expires_at.toISOString()}`
}

interface CreateOptions extends KeyOptions {
  org: string
  name: string
  json?: boolean
}

async function runCreate(options: CreateOptions) {
  const { made, strange } = await withDatabase(async (db) => {
    const faults = new OptionErrors()
    const orgId = await faults.look('--org', options.org, (name) => findOrg(db, name))
    if (options.name.trim() === '') faults.add('--name', 'must have at least one character')
    const facts = await readKey(db, orgId, options, faults)
    faults.demandNone()
    const own = await domains.findMany(
      db,
      (facts.locks.from_domains ?? []).map((domain) => ({ org_id: orgId ?? '', domain })),
    )
    const strange = facts.locks.from_domains?.filter((name) => !own.some(({ domain }) => domain === name)) ?? []
    const made = await db.transaction(async (tx) => {
      const key = await keys.create(tx, { orgId: orgId ?? '', name: options.name, created_by: 'operator', ...facts })
      await append(tx, { ...byOperator(key.org_id), action: 'key.created', target: key.id, after: auditedFields(key) })
      return key
    })
    return { made, strange }
  })
  if (options.json) return json(made)
  line(made.secret)
  line(
    dim(`Key ${made.id} has these scopes: ${made.scopes.join(', ')}. The secret is shown only once and is not stored.`),
  )
  if (strange.length > 0) line(dim(`The organisation has not added ${strange.join(', ')} yet.`))
}

async function runShow(id: string, options: { json?: boolean }): Promise<void> {
  const key = await withDatabase((db) => mustFind(db, id))
  if (options.json) return json(key)
  for (const { heading, text } of columns) {
    const value = text({ ...key, org_name: key.org_id })
    if (value !== '') line(`${(heading || 'STATE').padEnd(14)}${value}`)
  }
}

async function mustFind(db: Db, id: string): Promise<keys.Key> {
  if (!Id.safeParse(id).success) throw new UsageError(`"${id}" is not a key ID. \`millrace keys\` lists them.`)
  const key = await keys.findAny(db, id)
  if (!key) throw new CommandError(`Key ${id} does not exist. \`millrace keys\` lists all keys.`)
  return key
}

const byOperator = (orgId: string) => ({
  orgId,
  actor: { kind: 'operator' as const, id: null, name: 'command line' },
})

async function runRotate(id: string, options: { keepHours: string; from: string; json?: boolean }): Promise<void> {
  const shown = await withDatabase(async (db) => {
    const wanted = RotationInput.safeParse({ keep_hours: Number(options.keepHours), from: options.from })
    if (!wanted.success) {
      const issues = wanted.error.issues.map(
        ({ path, message }) => `--${String(path[0]).replace('_', '-')}: ${message}`,
      )
      throw new UsageError(issues.join('\n'))
    }
    const key = await mustFind(db, id)
    return await db
      .transaction(async (tx) => {
        const by = byOperator(key.org_id)
        return await replaceSecret(tx, by, await lockLive(tx, key.org_id, id), wanted.data)
      })
      .catch((error) => {
        throw error instanceof Problem ? new CommandError(error.message) : error
      })
  })
  if (options.json) return json(shown)
  line(shown.secret)
  line(dim(`This is the new secret of key ${id}. It is shown only once and is not stored.`))
}

async function runRevoke(id: string, options: { json?: boolean }): Promise<void> {
  await withDatabase(async (db) => {
    const key = await mustFind(db, id)
    const changed = await db.transaction(async (tx) => {
      return await endKey(tx, byOperator(key.org_id), id)
    })
    if (options.json) return json({ id, name: key.name, revoked: true, changed })
    line(changed ? `Key "${key.name}" is revoked.` : `Key "${key.name}" was already revoked.`)
  })
}
