import type { Command } from 'commander'
import { Id } from '#lib/ids.ts'
import { type KeyPrefix, keyPrefixes, operatorScope } from '#lib/tokens.ts'
import * as keys from '#sql/account/keys.ts'
import * as orgs from '#sql/account/orgs.ts'
import { findOrg } from './filters.ts'
import { type Column, dim, json, line, red, table, when } from './output.ts'
import { withDatabase } from './session.ts'
import { Failure, Faults, Usage } from './usage.ts'

/** `millrace keys`: API keys of all organisations. */
export function declare(program: Command): void {
  const command = program.command('keys').description('list, create and revoke API keys')
  command
    .command('list', { isDefault: true })
    .description('keys, newest first; a key itself is kept nowhere')
    .option('-o, --org <org>', 'of this organisation, by its id or name')
    .option('-a, --all', 'revoked ones, too')
    .option('--json', 'for programs')
    .action(runList)
  command
    .command('create')
    .description('make a key and show it, this once')
    .requiredOption('-o, --org <org>', 'for this organisation, by its id or name')
    .requiredOption('-n, --name <name>', 'what it is for')
    .requiredOption('-s, --scopes <scopes>', 'what it may do, separated by commas')
    .option('--prefix <prefix>', keyPrefixes.join(', '), 'bt_live_')
    .option('--tenant <tenant_id>', 'in the files area, for the objects of this tenant only')
    .option('--json', 'for programs')
    .action(runCreate)
  command
    .command('revoke')
    .description('end a key for good; every process refuses it within seconds')
    .argument('<id>', 'as `millrace keys` lists it')
    .option('--json', 'for programs')
    .action(runRevoke)
}

async function runList(options: { org?: string; all?: boolean; json?: boolean }): Promise<void> {
  const found = await withDatabase(async (db) => {
    const faults = new Faults()
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
  table(found, columns, 'There are no keys.')
}

const columns: Column<keys.Key & { org_name: string }>[] = [
  { heading: 'ID', text: ({ id }) => id },
  { heading: 'NAME', text: ({ name }) => name },
  { heading: 'KIND', text: ({ prefix }) => prefix },
  { heading: 'SCOPES', text: ({ scopes }) => scopes.join(',') },
  { heading: 'ORGANISATION', text: ({ org_name }) => org_name },
  { heading: 'MADE', right: true, text: ({ created_at }) => when(created_at) },
  { heading: 'USED', right: true, text: ({ last_used_at }) => (last_used_at ? when(last_used_at) : 'never') },
  { heading: '', text: ({ revoked_at }) => (revoked_at ? red('revoked') : '') },
]

interface CreateOptions {
  org: string
  name: string
  scopes: string
  prefix: string
  tenant?: string
  json?: boolean
}

async function runCreate(options: CreateOptions) {
  const known = await knownScopes()
  const made = await withDatabase(async (db) => {
    const faults = new Faults()
    const orgId = (await faults.look('--org', options.org, (name) => findOrg(db, name))) ?? ''
    const scopes = faults.read('--scopes', options.scopes, (text) => readScopes(text, known)) ?? []
    const prefix = faults.read('--prefix', options.prefix, readPrefix) ?? 'bt_live_'
    if (options.name.trim() === '') faults.add('--name', 'at least one character')
    faults.demandNone()
    const locks = options.tenant === undefined ? {} : { tenant_id: options.tenant }
    return await keys.create(db, { orgId, prefix, name: options.name, scopes, locks })
  })
  if (options.json) return json(made)
  line(made.secret)
  line(dim(`Key ${made.id} may ${made.scopes.join(', ')}. It is shown this once and kept nowhere.`))
}

/** The scopes that any operation asks for, and the operators'. */
async function knownScopes(): Promise<string[]> {
  const { areas } = await import('../../ingress/areas.ts')
  const asked = areas.flatMap((area) => area.operations.flatMap(({ route }) => route.scope ?? []))
  return [...new Set([...asked, operatorScope])].sort()
}

function readScopes(text: string, known: string[]): string[] {
  const scopes = text.split(',').map((scope) => scope.trim())
  const strange = scopes.filter((scope) => !known.includes(scope))
  if (strange.length === 0) return [...new Set(scopes)]
  throw new Usage(`no such scope: ${strange.join(', ')}; there are ${known.join(', ')}`)
}

function readPrefix(text: string): KeyPrefix {
  const found = keyPrefixes.find((prefix) => prefix === text || prefix === `${text}_`)
  if (found) return found
  throw new Usage(`there are ${keyPrefixes.join(', ')}`)
}

async function runRevoke(id: string, options: { json?: boolean }): Promise<void> {
  if (!Id.safeParse(id).success) throw new Usage(`"${id}" is no key's id; \`millrace keys\` lists them.`)
  await withDatabase(async (db) => {
    const key = await keys.findAny(db, id)
    if (!key) throw new Failure(`There is no key ${id}; \`millrace keys\` lists them.`)
    const changed = await keys.revoke(db, key.org_id, id)
    if (options.json) return json({ id, name: key.name, revoked: true, changed })
    line(changed ? `Key "${key.name}" is revoked.` : `Key "${key.name}" was revoked before.`)
  })
}
