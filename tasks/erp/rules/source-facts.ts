import { newId } from '#lib/ids.ts'
import { statuses } from '#sql/erp/companies.ts'
import type { Options } from '#sql/erp/imports.ts'
import type { NewSource } from '#sql/erp/sources.ts'
import { knownSources } from './known-sources.ts'
import { fields } from './profiles/generic.ts'
import { isOfOfficers, isProfile, profileNames, profiles } from './profiles/index.ts'
import { findUrlFault } from './source-url.ts'

export interface GivenSource {
  name: string
  profile: string
  url?: string | undefined
  register?: string | undefined
  jurisdiction?: string | undefined
  licence?: string | undefined
  recordUrl?: string | undefined
  every?: string | undefined
  leastPercent?: string | undefined
  mostMb?: string | undefined
  mostRows?: string | undefined
  records?: string | undefined
  /** Each is `field=column`. */
  map?: readonly string[] | undefined
  /** Each is `word=status`. */
  status?: readonly string[] | undefined
  partial?: boolean | undefined
}

type Fault = (option: string, issue: string) => void

const isJurisdiction = (text: string) => /^[a-z]{2}(-[a-z0-9]{1,3})?$/.test(text)

const isRecordUrl = (text: string) => /^https?:\/\/.+\{code\}/.test(text) && text.length <= 500

const lineOf = (text: string, most: number) =>
  text.trim() !== '' && text.length <= most && !/\p{Cc}/u.test(text) && text.isWellFormed()

export function readSource(given: GivenSource, tell: Fault): NewSource | null {
  let faults = 0
  const fault: Fault = (option, issue) => {
    faults++
    tell(option, issue)
  }
  const { name, profile } = given
  if (!/^[a-z0-9][a-z0-9_-]{0,39}$/.test(name)) fault('name', 'must be 1 to 40 lower-case letters, digits, - and _')
  const known = isProfile(profile) ? { ...knownSources[profile], ...profiles[profile] } : undefined
  if (!known) fault('--profile', `must be one of ${profileNames.join(', ')}`)
  const url = given.url ?? known?.url
  const wrong = url === undefined ? 'is required: this profile has no default URL' : findUrlFault(url)
  if (wrong !== undefined && known) fault('--url', wrong)
  const register = given.register?.trim() ?? known?.register ?? ''
  if (known && !lineOf(register, 80)) fault('--register', 'must be 1 to 80 characters')
  const number = numbersOf(fault)
  const every = number('--every', given.every, { least: 1, most: 8_760 })
  const mostMb = number('--most-mb', given.mostMb, { least: 1, most: 20_480 }) ?? 4_096
  const options = optionsOf(given, fault)
  if (faults > 0 || url === undefined) return null
  return {
    id: newId(),
    name,
    profile,
    register,
    url,
    options,
    every_seconds: every === undefined ? (known?.everySeconds ?? 86_400) : every * 3_600,
    most_bytes: mostMb * 2 ** 20,
  }
}

function optionsOf(given: GivenSource, fault: Fault): Options {
  const number = numbersOf(fault)
  const { jurisdiction, licence, recordUrl, records, profile } = given
  const checks: readonly [string, string | undefined, (text: string) => boolean, string][] = [
    ['--jurisdiction', jurisdiction, isJurisdiction, 'must be a country such as ee, or a subdivision such as us-de'],
    ['--licence', licence, (text) => lineOf(text, 300), 'must be 1 to 300 characters'],
    ['--record-url', recordUrl, isRecordUrl, 'must be https://… with {code}, up to 500 characters'],
    ['--records', records, (text) => lineOf(text, 200), 'must be 1 to 200 characters, such as data.items'],
  ]
  for (const [option, text, isGood, issue] of checks) if (text !== undefined && !isGood(text)) fault(option, issue)
  const least = number('--least-percent', given.leastPercent, { least: 0, most: 100 })
  const rows = number('--most-rows', given.mostRows, { least: 1, most: 100_000_000 })
  const mapping = mappingOf(given.map, profile, fault)
  const words = statusesOf(given.status, profile, fault)
  if (isProfile(profile) && isOfOfficers(profile) && jurisdiction !== undefined)
    fault('--jurisdiction', 'cannot be used: the profile has its own')
  return {
    partial: given.partial === true,
    anyway: false,
    ...(jurisdiction !== undefined && { jurisdiction }),
    ...(licence !== undefined && { licence }),
    ...(recordUrl !== undefined && { record_url: recordUrl }),
    ...(records !== undefined && { records }),
    ...(least !== undefined && { least_percent: least }),
    ...(rows !== undefined && { most_rows: rows }),
    ...(mapping && { mapping }),
    ...(words && { statuses: words }),
  }
}

/** Returns columns by Millrace’s field names: `code=reg_no`. `status==active` is a constant. */
function mappingOf(map: readonly string[] | undefined, profile: string, fault: Fault): Options['mapping'] {
  if (map === undefined || map.length === 0) return undefined
  if (profile !== 'generic') fault('--map', 'can only be used with the profile generic')
  const found = new Map<string, string>()
  for (const one of map) {
    const at = one.indexOf('=')
    const [field, column] = [one.slice(0, at).trim(), one.slice(at + 1).trim()]
    if (at < 0 || !lineOf(column, 200)) fault('--map', `must be field=column, not ${one.slice(0, 60)}`)
    else if (!(fields as readonly string[]).includes(field))
      fault('--map', `must be a field of ${fields.join(', ')}, not ${field.slice(0, 60)}`)
    else if (found.has(field)) fault('--map', `must map ${field} only once`)
    else found.set(field, column)
  }
  for (const field of ['code', 'name']) if (!found.has(field)) fault('--map', `must also name a column for ${field}`)
  return Object.fromEntries(found)
}

function statusesOf(status: readonly string[] | undefined, profile: string, fault: Fault): Options['statuses'] {
  if (status === undefined || status.length === 0) return undefined
  if (profile !== 'generic') fault('--status', 'can only be used with the profile generic')
  const found = status.map((one) => {
    const at = one.lastIndexOf('=')
    const [word, ours] = [
      one.slice(0, Math.max(0, at)).trim().toLowerCase(),
      statuses.find((each) => each === one.slice(at + 1).trim()),
    ]
    if (ours === undefined || !lineOf(word, 100))
      fault('--status', `must be word=status with one of ${statuses.join(', ')}, not ${one.slice(0, 60)}`)
    return [word, ours ?? 'unknown'] as const
  })
  return Object.fromEntries(found)
}

const numbersOf =
  (fault: Fault) =>
  (option: string, text: string | undefined, { least, most }: { least: number; most: number }): number | undefined => {
    if (text === undefined) return undefined
    const value = Number(text)
    if (text.trim() !== '' && Number.isInteger(value) && value >= least && value <= most) return value
    fault(option, `must be a whole number from ${least} to ${most}`)
    return undefined
  }
