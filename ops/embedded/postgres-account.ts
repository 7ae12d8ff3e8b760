import { readFile, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/** The user for the server if this process is root, because Postgres does not run as root. */
export interface Account {
  uid: number
  gid: number
}

export interface Command {
  file: string
  args: string[]
}

/**
 * Returns the account for the server of a data folder: its owner, or for a new folder the first existing user of
 * `names`. Returns undefined if this process is not root.
 */
export async function serverAccount(
  dir: string,
  names: readonly string[] = ['postgres', 'nobody'],
): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const owner = await stat(dir).catch(() => undefined)
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  const users = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'))
  const user = names.map((wanted) => users.find(([name]) => name === wanted)).find((found) => found !== undefined)
  if (!user)
    throw new Error(`The server must not run as root, and this machine does not have the user ${names.join(' or ')}.`)
  return { uid: Number(user[2]), gid: Number(user[3]) }
}

/**
 * Returns the command that runs `program` as the account of the data folder `dir`. The kernel ends it with a signal
 * (SIGINT is Postgres’s fast stop) when this process dies. If the account cannot access the folders of the program or
 * `dir` (a checkout under /root), the command keeps the one capability for access. With `no_setuid_fixup`, access(2)
 * also uses it.
 */
export async function launchCommand(
  program: string,
  args: string[],
  dir: string,
  signal: 'INT' | 'KILL' = 'INT',
): Promise<Command> {
  const account = await serverAccount(dir)
  const drop = account ? [`--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups'] : []
  if (account && !(await allReachable(account, [program, dir]))) {
    const capability = (await hasCapability(2)) ? 'dac_read_search' : 'dac_override'
    drop.push('--securebits=+no_setuid_fixup', `--inh-caps=-all,+${capability}`, `--ambient-caps=-all,+${capability}`)
  }
  return { file: 'setpriv', args: [...drop, `--pdeathsig=${signal}`, '--', program, ...args] }
}

async function allReachable(account: Account, paths: string[]): Promise<boolean> {
  const folders = new Set<string>()
  for (const path of paths) {
    for (let folder = dirname(resolve(path)); !folders.has(folder); folder = dirname(folder)) folders.add(folder)
  }
  const entries = await Promise.all([...folders].map((folder) => stat(folder)))
  return entries.every(({ mode, uid, gid }) => {
    const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0
    return ((mode >> shift) & 1) === 1
  })
}

/** True if this process has the capability with this number (capabilities(7)). CAP_DAC_READ_SEARCH is 2. */
async function hasCapability(bit: number): Promise<boolean> {
  const line = /^CapEff:\s*([0-9a-f]+)$/m.exec(await readFile('/proc/self/status', 'utf8'))
  return ((BigInt(`0x${line?.[1] ?? '0'}`) >> BigInt(bit)) & 1n) === 1n
}
