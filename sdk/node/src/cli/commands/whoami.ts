import { command } from '../command.ts'
import { connect } from '../connection.ts'
import { maskKey } from '../profiles.ts'
import { clean } from '../terminal.ts'
import { whoAmI } from '../whoami.ts'

export const whoami = command({
  name: 'whoami',
  summary: 'Show the organisation, the key and its scopes',
  options: {},
  examples: ['millrace-cli whoami', 'millrace-cli whoami --json | jq -r .key.scopes[]'],
  async run({ common, terminal }) {
    const connection = await connect(common)
    const identity = await whoAmI(connection)
    const { key, organisation } = identity
    if (terminal.json) return terminal.printJson({ url: connection.url, login: connection.login, ...identity })
    const rows: [string, string | undefined][] = [
      ['Server', connection.url],
      ['Organisation', `${clean(organisation.name)} (${clean(organisation.id)})`],
      ['Key', `${clean(key.name)} (${maskKey(connection.key)})`],
      ['Mode', clean(key.mode)],
      ['Scopes', key.scopes.map(clean).join(', ')],
      ['Expiry', key.expires_at ? clean(key.expires_at) : 'never'],
      ['Login', connection.profile ? `profile ${connection.login}` : 'environment'],
    ]
    for (const [name, value] of rows) terminal.print(`${terminal.paint('dim', name.padEnd(13))} ${value}`)
  },
})
