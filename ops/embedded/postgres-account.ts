import { readFile, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/** The user that the server runs as when we are root, which Postgres refuses to be. */
export interface Account {
  uid: number
  gid: number
}

/** A program and its arguments, ready to be spawned. */
export interface Command {
  file: string
  args: string[]
}

/**
 * Who the server of a data folder runs as: its owner, or for a new one the first of `names` that this machine has as a user;
 * undefined when we are an ordinary user already.
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
  if (!user) throw new Error(`A server must not run as root, and this machine has no user ${names.join(' or ')}.`)
  return { uid: Number(user[2]), gid: Number(user[3]) }
}

/**
 * The command that runs `program` as the account of the data folder `dir` and has it end by a signal (SIGINT is Postgres's
 * fast stop) when this process dies, however hard. Where it or `dir` lies in folders that the account may not enter (a checkout under
 * /root), it keeps the one capability that lets it through; `no_setuid_fixup` makes access(2) honour that, too.
 */
export async function launch(
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

/** Whether this process has the capability of that number (capabilities(7)); 2 is CAP_DAC_READ_SEARCH. */
async function hasCapability(bit: number): Promise<boolean> {
  const line = /^CapEff:\s*([0-9a-f]+)$/m.exec(await readFile('/proc/self/status', 'utf8'))
  return ((BigInt(`0x${line?.[1] ?? '0'}`) >> BigInt(bit)) & 1n) === 1n
}
