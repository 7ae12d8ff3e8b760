import { MillraceError } from '../errors.ts'
import { checkedBase, setting, Transport } from '../transport.ts'
import type { CommonValues } from './command.ts'
import { type Profile, profileName, readProfile } from './profiles.ts'

/** A server with the key of its calls. */
export interface Connection {
  url: string
  key: string
  transport: Transport
  /** Name for files of this login: the profile, or `environment`. */
  login: string
  /** `undefined` if the environment has the key. */
  profile: Profile | undefined
}

/** Returns the server and the key of a command. The environment replaces the values of the profile. */
export async function connect({ profile: given }: Pick<CommonValues, 'profile'>): Promise<Connection> {
  // A profile on the command line is more specific than the environment.
  const [url, key] = given === undefined ? [setting('MILLRACE_BASE_URL'), setting('MILLRACE_API_KEY')] : []
  const name = profileName(given)
  if (url) checkVariable(url)
  if (url && key) return connectionTo(url, key, 'environment', undefined)
  const profile = await readProfile(name)
  if (!profile) throw new MillraceError(notLoggedIn(name, url, key))
  if (key) return connectionTo(profile.url, key, 'environment', undefined)
  if (url && checkedBase(url) !== checkedBase(profile.url)) throw new MillraceError(otherServer(name))
  return connectionTo(profile.url, profile.key, name, profile)
}

export function connectionTo(url: string, key: string, login: string, profile: Profile | undefined): Connection {
  return { url: checkedBase(url), key, login, profile, transport: new Transport({ baseUrl: url, apiKey: key }) }
}

function checkVariable(url: string): void {
  try {
    checkedBase(url)
  } catch {
    throw new MillraceError('MILLRACE_BASE_URL must be an http or https URL without query or credentials.')
  }
}

function notLoggedIn(name: string, url: string | undefined, key: string | undefined): string {
  if (key) return 'MILLRACE_API_KEY is set without MILLRACE_BASE_URL. Set both.'
  const more = `${url ? '' : ' --url URL'}${name === 'default' ? '' : ` --profile ${name}`}`
  return `You are not logged in. Run \`millrace-cli login${more}\`, or set MILLRACE_BASE_URL and MILLRACE_API_KEY.`
}

const otherServer = (name: string) =>
  `MILLRACE_BASE_URL is not the server of the profile ${name}, so its key is not sent. Set MILLRACE_API_KEY, or unset MILLRACE_BASE_URL.`

/** True if a key would cross a network without encryption. */
export function isExposed(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'http:' && !/^(localhost|127\.[\d.]+|\[::1\]|.*\.localhost)$/.test(hostname)
}
