import { command } from '../command.ts'
import { listProfiles, maskKey, profileName, readProfile } from '../profiles.ts'
import { clean } from '../terminal.ts'

export const profiles = command({
  name: 'profiles',
  summary: 'List the logins on this computer',
  options: {},
  examples: ['millrace-cli profiles'],
  async run({ common, terminal }) {
    const current = profileName(common.profile)
    const found = []
    for (const name of await listProfiles()) {
      const profile = await readProfile(name).catch(() => undefined)
      if (profile)
        found.push({ name, url: profile.url, organisation: profile.organisation, key_prefix: maskKey(profile.key) })
    }
    if (terminal.json) return terminal.printJson(found)
    if (found.length === 0) return terminal.note('No logins yet. Run `millrace-cli login --url URL`.')
    for (const { name, url, organisation, key_prefix } of found) {
      const mark = name === current ? '*' : ' '
      terminal.print(`${mark} ${name.padEnd(16)} ${url}  ${clean(organisation?.name)}  ${key_prefix}`)
    }
  },
})
