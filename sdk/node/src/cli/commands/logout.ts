import { APIError, MillraceError } from '../../errors.ts'
import { pathOf } from '../../path.ts'
import { command } from '../command.ts'
import { connectionTo } from '../connection.ts'
import { maskKey, type Profile, profileName, readProfile, removeProfile } from '../profiles.ts'

export const logout = command({
  name: 'logout',
  summary: 'Revoke the key of a profile, and delete the profile',
  options: {
    'keep-key': { type: 'boolean', help: 'Delete the profile, and keep the key valid' },
  },
  examples: ['millrace-cli logout', 'millrace-cli logout --profile production'],
  async run({ values, common, terminal }) {
    const name = profileName(common.profile)
    const profile = await readProfile(name)
    if (!profile) throw new MillraceError(`The profile ${name} does not exist.`)
    const reason = values['keep-key'] ? 'You kept it valid' : await revoke(profile)
    await removeProfile(name)
    if (terminal.json)
      return terminal.printJson({ profile: name, revoked: reason === undefined, ...(reason ? { reason } : {}) })
    terminal.print(`Logged out of profile ${name}.`)
    if (reason === undefined) terminal.print(`The key ${maskKey(profile.key)} was revoked.`)
    else
      terminal.note(
        `The key ${maskKey(profile.key)} was not revoked. ${reason}. To revoke it, open API keys in the dashboard.`,
      )
  },
})

/** Revokes the key. Returns the reason if this is not possible. */
async function revoke({ url, key, key_id }: Profile): Promise<string | undefined> {
  if (!key_id) return 'Its ID is unknown'
  const { transport } = connectionTo(url, key, '', undefined)
  try {
    await transport.nothing({ verb: 'DELETE', path: pathOf`/v1/account/keys/${key_id}` }, { maxRetries: 1 })
    return undefined
  } catch (failure) {
    if (failure instanceof APIError && failure.status === 401) return undefined
    if (failure instanceof APIError && failure.status === 403) return 'It does not have the `account:keys` scope'
    return (failure as Error).message.replace(/\.$/, '')
  }
}
