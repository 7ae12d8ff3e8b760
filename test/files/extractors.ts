import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isInstalled } from '../../workers/sandbox/programs.ts'
import { isEicarFile } from './strict.ts'

const seconds = 5
const largest = 2 ** 20

/** How each of the usual programs takes an archive apart into a folder; shell commands where it works in its own. */
const commands: Record<string, (file: string, folder: string) => string[]> = {
  '7zz': (file, folder) => ['7zz', 'x', '-y', '-pnone', '-bd', `-o${folder}`, file],
  bsdtar: (file, folder) => ['bsdtar', '-xf', file, '-C', folder],
  tar: (file, folder) => ['tar', '-xf', file, '-C', folder],
  unzip: (file, folder) => ['unzip', '-qq', '-o', '-P', 'x', file, '-d', folder],
  unar: (file, folder) => ['unar', '-q', '-f', '-p', 'x', '-o', folder, file],
  unsquashfs: (file, folder) => ['unsquashfs', '-f', '-d', join(folder, 'made'), file],
  arj: (file, folder) => ['sh', '-c', `cp ${file} ${folder}/x.arj && cd ${folder} && arj x -y x.arj`],
  cpio: (file, folder) => ['sh', '-c', `cd ${folder} && cpio -idu --no-absolute-filenames <${file}`],
  python3: (file, folder) => [
    ...['python3', '-c', 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])'],
    ...[file, folder],
  ],
}

/** Which of the programs that are here take EICAR out of a file, or out of what they take out of it. */
export async function extractorsOfEicar(bytes: Buffer, scratch: string): Promise<string[]> {
  const found: string[] = []
  const file = join(scratch, 'extracted')
  const folder = join(scratch, 'from')
  await writeFile(file, bytes)
  for (const [program, command] of Object.entries(commands)) {
    if (!(await isInstalled(program))) continue
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder)
    await run(command(file, folder))
    if (await holdsEicar(folder, true)) found.push(program)
  }
  await Promise.all([file, folder].map((path) => rm(path, { recursive: true, force: true })))
  return found
}

/** However it ends, what it has taken out by then is there; cpio says a line for each byte that it passes over. */
async function run(command: string[]): Promise<void> {
  await once(spawn('timeout', [String(seconds), ...command], { stdio: 'ignore' }), 'close')
}

async function holdsEicar(folder: string, isOutermost: boolean): Promise<boolean> {
  for (const name of await readdir(folder, { recursive: true })) {
    const path = join(folder, name)
    const found = await stat(path).catch(() => null)
    if (!found?.isFile() || found.size > largest) continue
    if (isEicarFile(await readFile(path))) return true
    const inner = `${path}.from`
    if (!isOutermost || (await mkdir(inner).catch(() => 'there')) === 'there') continue
    await run(['bsdtar', '-xf', path, '-C', inner])
    if (await holdsEicar(inner, false)) return true
  }
  return false
}
