import { hostname } from 'node:os'
import { MillraceError } from '../../errors.ts'
import { checkedBase, setting, Transport } from '../../transport.ts'
import { openBrowser } from '../browser.ts'
import { command, type Run } from '../command.ts'
import { connectionTo, isExposed } from '../connection.ts'
import { type GrantedLogin, startLogin, waitForGrant } from '../device-login.ts'
import { wordsOf } from '../lists.ts'
import { maskKey, type Profile, profileName, readProfile, writeProfile } from '../profiles.ts'
import { readStandardInput } from '../standard-input.ts'
import { clean, jsonText, paint } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'
import { whoAmI } from '../whoami.ts'

/** Scopes that the commands of this program need. */
const usualScopes = [
  ...['account:read', 'account:logs', 'account:webhooks', 'email:send', 'email:manage'],
  ...['files:read', 'files:write', 'stream:read', 'stream:write'],
]

const options = {
  url: {
    type: 'string',
    value: 'URL',
    help: 'URL of your Millrace. Default: MILLRACE_BASE_URL, or the URL of the profile',
  },
  scopes: {
    type: 'string',
    multiple: true,
    value: 'SCOPES',
    help: 'Scopes of the key. Default: the scopes that the commands need',
    choices: 'scopes',
  },
  'add-scopes': {
    type: 'string',
    multiple: true,
    value: 'SCOPES',
    help: 'Scopes in addition to the scopes of the profile',
    choices: 'scopes',
  },
  live: { type: 'boolean', help: 'Request a live key. Default: a test key' },
  'with-key': {
    type: 'boolean',
    help: 'Read an API key from the standard input, instead of the confirmation in a browser',
  },
  'no-browser': { type: 'boolean', help: 'Print the link, and open no browser' },
} as const

type Given = Run<typeof options>

export const login = command({
  name: 'login',
  summary: 'Log in, and store a key on this computer',
  details: 'You confirm the login in the dashboard. Only you can read the file with the key.',
  options,
  examples: [
    'millrace-cli login --url https://api.example.com',
    'millrace-cli login --live --scopes email:send,email:manage --profile production',
    'millrace-cli login --url https://api.example.com --with-key <key.txt',
  ],
  async run(given) {
    const { values, common, terminal } = given
    const name = profileName(common.profile)
    const last = await readProfile(name).catch(() => undefined)
    const url = urlOf(values.url ?? setting('MILLRACE_BASE_URL') ?? last?.url)
    if (isExposed(url))
      terminal.note(paint('yellow', 'This URL has no encryption. Use https, because the key crosses the network.'))
    const { secret, ...identity } = values['with-key'] ? await givenKey(url) : await confirmed(given, url, last)
    const { key, organisation } = identity
    const profile: Profile = {
      ...{ url, key: secret, key_id: key.id, organisation, mode: key.mode, scopes: key.scopes },
      dashboard: 'dashboard' in identity ? (identity.dashboard as string) : last?.dashboard,
    }
    await writeProfile(name, profile)
    if (terminal.json) return terminal.printJson({ profile: name, url, key_prefix: maskKey(secret), key, organisation })
    terminal.print(`Logged in to ${clean(organisation.name)} with the ${clean(key.mode)} key ${maskKey(secret)}.`)
    terminal.note(`Profile: ${name}. Scopes: ${key.scopes.map(clean).join(', ')}.`)
    if (last && last.key !== secret)
      terminal.note(`The previous key ${maskKey(last.key)} still works. Revoke it in the dashboard.`)
  },
})

function urlOf(url: string | undefined): string {
  if (url === undefined) throw new UsageError('The URL of your Millrace is not set. Pass --url.', 'login')
  try {
    return checkedBase(/^https?:\/\//i.test(url) ? url : `https://${url}`)
  } catch {
    throw new UsageError('--url must be an http or https URL without query or credentials.', 'login')
  }
}

async function givenKey(url: string): Promise<GrantedLogin> {
  const secret = (await readStandardInput(1_000)).trim()
  if (!/^[a-z]+_[\x21-\x7e]{8,200}$/.test(secret))
    throw new MillraceError('The standard input must be an API key, such as bt_test_….')
  return { ...(await whoAmI(connectionTo(url, secret, 'login', undefined))), secret }
}

async function confirmed(
  given: Given,
  url: string,
  last: Profile | undefined,
): Promise<GrantedLogin & { dashboard: string }> {
  const { values, terminal, signal } = given
  const transport = new Transport({ baseUrl: url })
  const pending = await startLogin(transport, {
    client_name: clean(`Millrace CLI on ${hostname()}`).slice(0, 60),
    scopes: scopesOf(values, last),
    mode: values.live ? 'live' : 'test',
  })
  const link = webLink(pending.verification_uri_complete)
  if (terminal.json) process.stderr.write(`${jsonText({ user_code: pending.user_code, verification_uri: link })}\n`)
  terminal.note(
    `Open this page, and compare the code:\n\n  ${link}\n\n  Code: ${paint('bold', clean(pending.user_code))}\n`,
  )
  const canOpen = terminal.interactive && !values['no-browser'] && !setting('SSH_CONNECTION')
  if (canOpen && (await openBrowser(link))) terminal.note('The page was opened in your browser.')
  terminal.progress('Waiting for the confirmation…')
  try {
    return { ...(await waitForGrant(transport, pending, signal)), dashboard: new URL('/app', link).href }
  } finally {
    terminal.progress(undefined)
  }
}

function scopesOf(values: Given['values'], last: Profile | undefined): string[] {
  const [own, more] = [wordsOf(values.scopes), wordsOf(values['add-scopes'])]
  const wrong = [...own, ...more].find((scope) => !/^[a-z]+:[a-z]+$/.test(scope))
  if (wrong !== undefined)
    throw new UsageError(`--scopes must be scopes such as email:send, separated by commas.`, 'login')
  const base = own.length > 0 ? own : more.length > 0 ? (last?.scopes ?? usualScopes) : usualScopes
  return [...new Set([...base, ...more])]
}

/** Returns a link of the server. Throws unless it is a web page. */
function webLink(link: string): string {
  const url = URL.canParse(link) ? new URL(link) : undefined
  if (url && /^https?:$/.test(url.protocol)) return url.href
  throw new MillraceError('The server returned an invalid link for the confirmation.')
}
