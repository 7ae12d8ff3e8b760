import { join } from 'node:path'
import { MillraceError } from '../errors.ts'
import { setting } from '../transport.ts'
import { configFolder, listPrivate, readPrivate, removePrivate, writePrivate } from './private-files.ts'
import { UsageError } from './usage-error.ts'

/** A login that is stored on this computer. */
export interface Profile {
  /** URL of the API. */
  url: string
  key: string
  key_id?: string | undefined
  /** URL of the dashboard. */
  dashboard?: string | undefined
  organisation?: { id: string; name: string } | undefined
  mode?: string | undefined
  scopes?: string[] | undefined
}

const folder = () => join(configFolder(), 'profiles')

const fileOf = (name: string) => join(folder(), `${name}.json`)

/** Returns the name of the profile that a command uses. */
export function profileName(given: string | undefined): string {
  const name = given ?? setting('MILLRACE_PROFILE') ?? 'default'
  if (/^[A-Za-z0-9][\w-]{0,31}$/.test(name)) return name
  throw new UsageError('The profile must have up to 32 letters, digits, hyphens and underscores.')
}

export async function readProfile(name: string): Promise<Profile | undefined> {
  const profile = await readPrivate<Partial<Profile>>(fileOf(name))
  if (profile === undefined) return undefined
  if (typeof profile.url === 'string' && typeof profile.key === 'string') return profile as Profile
  throw new MillraceError(`The profile ${name} is incomplete. Run \`millrace-cli login --profile ${name}\`.`)
}

export const writeProfile = (name: string, profile: Profile): Promise<void> => writePrivate(fileOf(name), profile)

export const removeProfile = (name: string): Promise<void> => removePrivate(fileOf(name))

export const listProfiles = (): Promise<string[]> => listPrivate(folder())

/** Returns the start of a key, such as `bt_test_a1b2…`. */
export const maskKey = (key: string): string => `${/^(?:[a-z]+_)*[\x21-\x7e]{0,4}/.exec(key)?.[0].slice(0, 16) ?? ''}…`
