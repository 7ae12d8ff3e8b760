import type { z } from 'zod'
import { toDomain } from '#lib/email-address.ts'
import { Id } from '#lib/ids.ts'
import { type KeyPrefix, keyPrefixes, operatorScope } from '#lib/tokens.ts'
import { type Key, type Locks, Mode } from '#sql/account/keys.ts'
import type { Db } from '#sql/db.ts'
import * as sites from '#sql/guard/sites.ts'
import * as apps from '#sql/push/apps.ts'
import { grantable, LocksInput, NewKeyInput } from '#tasks/account/rules/key-input.ts'
import { readInstant } from './filters.ts'
import { type OptionErrors, UsageError } from './usage.ts'

export interface KeyOptions {
  scopes: string
  prefix: string
  tenant?: string
  fromDomains?: string
  app?: string
  site?: string
  origins?: string
  calls?: boolean
  mode?: string
  expires?: string
  rate?: string
  networks?: string
}

export interface KeyFacts {
  prefix: KeyPrefix
  scopes: string[]
  locks: Locks
  mode: Key['mode']
  expires_at: Date | undefined
  rate_per_minute: number | undefined
  networks: string[] | undefined
}

/** Scopes that operations require. `site` contains the scopes of public keys, which visitors can read in a web page. */
interface KnownScopes {
  all: readonly string[]
  site: readonly string[]
}

export async function readKey(
  db: Db,
  orgId: string | undefined,
  options: KeyOptions,
  faults: OptionErrors,
): Promise<KeyFacts> {
  const known = await knownScopes()
  const scopes = faults.read('--scopes', options.scopes, (text) => readScopes(text, known.all)) ?? []
  const named = faults.read('--prefix', options.prefix, readPrefix) ?? 'bt_live_'
  const mode = faults.read('--mode', options.mode, (text) => readBy(Mode, text)) ?? modeOf(named)
  const prefix = mode === 'test' && named === 'bt_live_' ? 'bt_test_' : named
  if (mode !== modeOf(prefix)) faults.add('--mode', `a key with the prefix ${prefix} has the mode ${modeOf(prefix)}`)
  const tenant_id = faults.read('--tenant', options.tenant, demandSome)
  const from_domains = faults.read('--from-domains', options.fromDomains, (text) => readDomains(demandSome(text)))
  const app_id = await faults.look('--app', options.app, (text) => findApp(db, orgId, demandSome(text)))
  const site_id = await faults.look('--site', options.site, (text) => findSite(db, orgId, demandSome(text)))
  const origins = faults.read('--origins', options.origins, (text) => readBy(LocksInput.shape.origins, parts(text)))
  const locks: Locks = {
    ...(tenant_id && { tenant_id }),
    ...(from_domains && { from_domains }),
    ...(app_id && { app_id }),
    ...(site_id && { site_id }),
    ...(origins && { origins }),
    ...(options.calls === false && { calls: false as const }),
  }
  for (const [option, issue] of misfits({ prefix, scopes, locks }, known)) faults.add(option, issue)
  return {
    prefix,
    scopes,
    locks,
    mode,
    expires_at: faults.read('--expires', options.expires, readEnd),
    rate_per_minute:
      faults.read('--rate', options.rate, (text) => readBy(NewKeyInput.shape.rate_per_minute, Number(text))) ??
      undefined,
    networks:
      faults.read('--networks', options.networks, (text) => readBy(NewKeyInput.shape.networks, parts(text))) ??
      undefined,
  }
}

const modeOf = (prefix: KeyPrefix): Key['mode'] => (prefix.endsWith('_test_') ? 'test' : 'live')

const parts = (text: string) =>
  demandSome(text)
    .split(',')
    .map((part) => part.trim())

function readBy<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const read = schema.safeParse(value)
  if (read.success) return read.data
  throw new UsageError(read.error.issues.map(({ message }) => message).join('; '))
}

function readEnd(text: string): Date {
  const at = readInstant(text)
  if (at.getTime() > Date.now()) return at
  throw new UsageError('is in the past')
}

function misfits(
  { prefix, scopes, locks }: Pick<KeyFacts, 'prefix' | 'scopes' | 'locks'>,
  known: KnownScopes,
): [option: string, issue: string][] {
  const found: [string, string][] = []
  const has = (...areas: string[]) => scopes.some((scope) => areas.includes(scope.split(':')[0] ?? ''))
  const server = scopes.filter((scope) => !known.site.includes(scope))
  if (prefix === 'bt_site_' && server.length > 0) {
    found.push(['--scopes', `a public key (bt_site_) can have only ${known.site.join(', ')}, not ${server.join(', ')}`])
  }
  const other = scopes.filter((scope) => !scope.startsWith('email:'))
  if (/^(?:snd|mtz)_/.test(prefix) && other.length > 0) {
    found.push([
      '--scopes',
      `a key of the email area (${prefix}) can have only scopes of that area, not ${other.join(', ')}`,
    ])
  }
  if (prefix === 'bt_site_') found.push(...unbound(scopes, locks))
  if (locks.from_domains && !has('email')) found.push(['--from-domains', 'requires a scope of the email area'])
  if (locks.app_id && !has('push', 'notify')) found.push(['--app', 'requires a scope of the push or notify area'])
  if (locks.site_id && !has('guard')) found.push(['--site', 'requires a scope of the guard area'])
  if (locks.tenant_id && !has('files')) found.push(['--tenant', 'requires a scope of the files area'])
  if (locks.calls === false && !has('voice')) found.push(['--no-calls', 'requires a scope of the voice area'])
  return found
}

function unbound(scopes: readonly string[], { app_id, origins }: Locks): [string, string][] {
  const found: [string, string][] = []
  if (scopes.some((scope) => scope.startsWith('push:')) && app_id === undefined) {
    found.push(['--app', 'a public key that reports receipts or registers browsers must be restricted to its app'])
  }
  if (scopes.includes('push:subscribe') && origins === undefined) {
    found.push(['--origins', 'a public key that registers browsers must be restricted to the origins of its pages'])
  }
  return found
}

async function knownScopes(): Promise<KnownScopes> {
  const { areas } = await import('../../ingress/areas.ts')
  const routes = areas.flatMap((area) => area.operations.map(({ route }) => route))
  const scopesOf = (some: typeof routes) => [...new Set(some.flatMap((route) => route.scope ?? []))].sort()
  return { all: [...grantable, operatorScope].sort(), site: scopesOf(routes.filter(({ site }) => site)) }
}

function readScopes(text: string, known: readonly string[]): string[] {
  const scopes = text.split(',').map((scope) => scope.trim())
  const strange = scopes.filter((scope) => !known.includes(scope))
  if (strange.length === 0) return [...new Set(scopes)]
  throw new UsageError(`unknown scope: ${strange.join(', ')}; the scopes are ${known.join(', ')}`)
}

function readPrefix(text: string): KeyPrefix {
  const found = keyPrefixes.find((prefix) => prefix === text || prefix === `${text}_`)
  if (found) return found
  throw new UsageError(`must be one of ${keyPrefixes.join(', ')}`)
}

/** Rejects an empty restriction. An unset shell variable must not create a key without restrictions. */
function demandSome(text: string): string {
  if (text.trim() !== '') return text
  throw new UsageError('is empty; omit it for a key without this restriction')
}

function readDomains(text: string): string[] {
  const names = text.split(',').map((name) => name.trim())
  const read = names.map((name) => toDomain(name))
  const strange = names.filter((_, i) => !read[i]?.includes('.'))
  if (strange.length > 0) throw new UsageError(`not a domain: ${strange.map((name) => `"${name}"`).join(', ')}`)
  return [...new Set(read as string[])]
}

async function findApp(db: Db, orgId: string | undefined, text: string): Promise<string> {
  const app = orgId && Id.safeParse(text).success ? await apps.find(db, orgId, text) : null
  if (app) return app.id
  throw new UsageError(`the organisation does not have the app ${text}; GET /push/v1/apps lists them`)
}

async function findSite(db: Db, orgId: string | undefined, text: string): Promise<string> {
  const site = orgId && Id.safeParse(text).success ? await sites.find(db, orgId, text) : null
  if (site) return site.id
  throw new UsageError(`the organisation does not have the site ${text}; GET /v1/guard/sites lists them`)
}
