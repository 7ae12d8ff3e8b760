import { UniqueIntegrityConstraintViolationError } from 'slonik'
import type { z } from 'zod'
import { badRequest, type Fault, forbidden, Problem } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import { createSeal } from '#lib/seal.ts'
import type { Caller } from '#sql/account/keys.ts'
import type { Db } from '#sql/db.ts'
import * as imports from '#sql/moving/imports.ts'
import * as apps from '#sql/push/apps.ts'
import { importAll } from '#tasks/moving/import.ts'
import { scopesOf } from '#tasks/moving/rules/authority.ts'
import type { PreparedRow } from '#tasks/moving/rules/prepare-rows.ts'
import { fileParts, partsOf } from '#tasks/moving/rules/providers/sources.ts'
import { addRows } from '#tasks/moving/rules/read-page.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import type { Services } from '../http/container.ts'
import { problem } from '../http/problem-kinds.ts'
import { signingSecret } from '../http/services.ts'
import type { NewImport } from './fields.ts'
import { readCsv, readTemplates } from './read-file.ts'

export const importOpen = problem(409, 'import_open', 'Another import of the organisation is in progress.')

type Body = z.output<typeof NewImport>

type Calling = Pick<Caller, 'org' | 'key'>

/** Throws 403 if the key does not have the scopes of these parts. */
export function demandScopes({ key }: Pick<Caller, 'key'>, parts: readonly imports.Part[]): void {
  const missing = scopesOf(parts).find((scope) => !key.scopes.includes(scope))
  if (missing) throw forbidden(`This API key does not have the \`${missing}\` scope, which the import needs.`)
}

type FieldFault = [field: string, issue: string, isSo: boolean]

/** Returns the parts of a request. Throws 400 with every field that does not fit the provider. */
export function readParts(body: Body): imports.Part[] {
  const found = [...sourceFaults(body), ...partFaults(body), ...appFaults(body)]
  const faults = found.flatMap(([field, issue, isSo]): Fault[] => (isSo ? [{ field: `body.${field}`, issue }] : []))
  if (faults.length > 0) throw badRequest(faults)
  if (body.templates !== undefined) return ['templates']
  if (body.csv !== undefined && body.part !== undefined) return [body.part]
  return [...new Set(body.parts ?? partsOf(body.provider))]
}

function sourceFaults({ provider, api_key, csv, templates }: Body): FieldFault[] {
  const given = [api_key, csv, templates].filter((one) => one !== undefined)
  const key = api_key ?? 'none:none'
  const hasApi = partsOf(provider).length > 0
  return [
    ['api_key', 'is required, or csv, or templates. Send one of them.', given.length !== 1],
    ['api_key', `cannot be used with ${provider}. Send csv.`, api_key !== undefined && !hasApi],
    ['api_key', muxKey, provider === 'mux' && !/^[^:\s]+:[^:\s]+$/.test(key)],
    ['api_key', 'must contain only visible ASCII characters', /[^\x21-\x7e]/.test(key)],
    [
      'templates',
      `cannot be used with ${provider}`,
      templates !== undefined && !fileParts[provider].includes('templates'),
    ],
  ]
}

const muxKey = 'must be the token ID and the token secret, with a colon between them'

function partFaults({ provider, api_key, csv, part, parts = [] }: Body): FieldFault[] {
  const ofApi = partsOf(provider)
  const isFile = part !== undefined && part !== 'templates' && fileParts[provider].includes(part)
  const foreign = parts.some((one) => !ofApi.includes(one))
  return [
    ['parts', 'is only for api_key. Send part.', api_key === undefined && parts.length > 0],
    ['parts', `must be parts of ${provider}: ${ofApi.join(', ')}`, ofApi.length > 0 && foreign],
    ['part', 'is only for csv', csv === undefined && part !== undefined],
    ['part', partIssue(provider), csv !== undefined && !isFile],
  ]
}

const appFaults = ({ provider, app_id }: Body): FieldFault[] => [
  ['app_id', 'is required', provider === 'onesignal' && app_id === undefined],
  ['app_id', 'is only for onesignal', provider !== 'onesignal' && app_id !== undefined],
]

function partIssue(provider: imports.Provider): string {
  const parts = fileParts[provider].filter((one) => one !== 'templates')
  return parts.length === 0 ? `cannot be imported from a file of ${provider}` : `must be ${parts.join(' or ')}`
}

/** Reads the file of a request. Null if the import uses the API of the provider. */
export async function readRows(body: Body, { org }: Pick<Caller, 'org'>): Promise<PreparedRow[] | null> {
  const { provider, csv, part, templates } = body
  if (csv !== undefined && part !== undefined) return await readCsv({ orgId: org.id, provider, part }, csv)
  if (templates !== undefined) return await readTemplates({ orgId: org.id, provider, part: 'templates' }, templates)
  return null
}

const sealOf = (services: Services) => createSeal(services(signingSecret), imports.sealPurpose)

/** Stores an import and adds its job. Throws 409 if another import is in progress. */
export async function storeImport(
  tx: Db,
  { org, key, services }: Calling & { services: Services },
  body: Body,
  { parts, rows }: { parts: imports.Part[]; rows: PreparedRow[] | null },
): Promise<imports.Import> {
  if (body.app_id !== undefined && !(await apps.find(tx, org.id, body.app_id)))
    throw badRequest([{ field: 'body.app_id', issue: 'must be one of your push apps' }])
  await demandRoom(tx, org.id)
  const id = newId()
  const credential = body.api_key === undefined ? null : sealOf(services).close(body.api_key, id)
  const about = { id, org_id: org.id, key_id: key.id, provider: body.provider, parts, app_id: body.app_id ?? null }
  const start = { source: rows === null ? ('api' as const) : ('file' as const), credential, found: 0, invalid: 0 }
  const made = await imports.insert(tx, { ...about, ...start, dry_run: body.dry_run }).catch(refuseSecond)
  if (rows !== null) await addRows(tx, made, rows, {})
  await enqueue(tx, importAll, { importId: id }, { orgId: org.id, key: `moving:${id}` })
  return (await imports.read(tx, id)) ?? made
}

/** Maximum number of imports that wait to be applied, and of objects that an organisation can read per day. */
const [mostReady, mostPerDay] = [10, 1_000_000]

/** Throws if the organisation has too many checked imports, or has read too many objects today. */
async function demandRoom(tx: Db, orgId: string): Promise<void> {
  const { ready, found } = await imports.countRecent(tx, orgId)
  if (ready >= mostReady) throw importOpen(`${mostReady} checked imports wait. Apply or cancel one of them.`)
  if (found < mostPerDay) return
  const words = `An organisation can import up to ${mostPerDay.toLocaleString('en')} objects per day. Try again later.`
  throw new Problem(429, 'rate_limited', words, { retryAfter: 3_600 })
}

function refuseSecond(error: unknown): never {
  throw error instanceof UniqueIntegrityConstraintViolationError
    ? importOpen('Another import is in progress. Wait until the import ends, or cancel it.')
    : error
}
