import { eicar, zip } from './archives.ts'
import { newRarFile, newRarOf, rarFile, rarOf } from './blocks.ts'
import { extractorsOfEicar } from './extractors.ts'
import { examineBytes } from './stand-in.ts'
import { strict } from './strict.ts'
import { type Contents, cab, packed, rpm, sevenZip } from './tools.ts'

const text = Buffer.from(Array.from({ length: 300 }, (_, line) => `line ${line} of a text\n`).join(''))
const bad: Contents = { 'a.txt': text, 'eicar.com': eicar, 'z.txt': 'behind it' }

const bsdtar = (...args: string[]) => packed(bad, 'out', 'bsdtar', '-cf', 'out', ...args, ...Object.keys(bad))
const by = (...commands: string[]) => packed(bad, '../out', 'sh', '-c', commands.join(' && '))

const formats = 'ar cpio iso9660 newc pax ustar v7 warc xar'.split(' ')
const filters = 'b64encode bzip2 compress gzip lz4 lzip lzop uuencode xz zstd'.split(' ')
const ways: Record<string, string[]> = {
  '7z': [],
  '7z stored': ['-m0=Copy', '-mhc=off', '-ms=off'],
  '7z by Deflate64': ['-m0=Deflate64'],
  ZIP: ['-tzip'],
  'ZIP by Deflate64': ['-tzip', '-mm=Deflate64'],
  'ZIP by LZMA': ['-tzip', '-mm=LZMA'],
}

/** Archives of every sort with EICAR in them, made by the programs that are here. */
export async function archivesWithEicar(): Promise<Map<string, Buffer>> {
  const made = new Map<string, Buffer>([
    ['ZIP stored', zip([{ name: 'eicar.com', data: eicar, method: 0 }])],
    ['old RAR', rarOf([rarFile('a.txt', text), rarFile('eicar.com', eicar)])],
    ['RAR', newRarOf([newRarFile('a.txt', text), newRarFile('eicar.com', eicar)])],
    ['CAB', cab('eicar.com', eicar)],
    ['RPM', rpm(await bsdtar('--format=newc', '--xz'))],
    ['ARJ', await by('arj a -r ../out.arj * >../log', 'mv ../out.arj ../out')],
    ['ARJ stored', await by('arj a -m0 -r ../out.arj * >../log', 'mv ../out.arj ../out')],
    ['WIM', await by('7zz a -bd -twim ../out.wim . >../log', 'mv ../out.wim ../out')],
    ['SquashFS', await by('mksquashfs . ../out -noappend -quiet -no-progress')],
    ['ext2', await by('/sbin/mke2fs -q -t ext2 -d . ../out 200K')],
    ['FAT', await by('truncate -s 300K ../out', 'mformat -f 320 -i ../out ::', 'mcopy -s -i ../out * ::')],
  ])
  for (const [name, args] of Object.entries(ways)) made.set(name, await sevenZip(bad, ...args))
  for (const format of formats) made.set(format, await bsdtar(`--format=${format}`))
  for (const filter of filters) made.set(`tar by ${filter}`, await bsdtar('--format=ustar', `--${filter}`))
  return made
}

/** Numbers below `n` that are the same for the same seed. */
function chance(seed: number): (n: number) => number {
  let state = Math.imul(seed, 2654435761) >>> 0
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * n)
  }
}

const telling = [0, 1, 0x20, 0x7f, 0x80, 0xff]

/** An archive with a few changes, most of them near its ends, where its structures stand. */
function mutated(whole: Buffer, others: Buffer[], pick: (n: number) => number): Buffer {
  let bytes: Buffer = Buffer.from(whole)
  for (let left = 1 + pick(4); left > 0; left--) {
    const range = pick(3) === 0 ? Math.min(200, bytes.length) : bytes.length
    const at = pick(2) === 0 ? pick(range) : Math.max(0, bytes.length - 1 - pick(300))
    const [before, behind] = [bytes.subarray(0, at), bytes.subarray(at)]
    const other = others[pick(others.length)] ?? whole
    const changes: (() => Buffer)[] = [
      () => Buffer.concat([before, Buffer.from([(behind[0] ?? 0) ^ (1 << pick(8))]), behind.subarray(1)]),
      () => Buffer.concat([before, Buffer.from([telling[pick(telling.length)] ?? 0]), behind.subarray(1)]),
      () => Buffer.concat([before, Buffer.alloc(pick(40), pick(256)), behind]),
      () => Buffer.concat([before, behind.subarray(pick(40))]),
      () => Buffer.concat([bytes, other]),
      () => Buffer.concat([other, bytes]),
      () => Buffer.concat([before, bytes.subarray(pick(bytes.length), pick(bytes.length)), behind]),
      () => Buffer.concat([bytes, Buffer.alloc(pick(600))]),
      () => before,
    ]
    const next = changes[pick(changes.length)]?.() ?? bytes
    bytes = next.length > 0 ? next : bytes
  }
  return bytes
}

/** One changed archive, what the scanner says of it, and which programs take EICAR out of it though it was called clean. */
export interface Fuzzed {
  seed: number
  of: string
  bytes: Buffer
  status: string
  extractors: string[]
  /** Of the examination. */
  seconds: number
}

/** Changes archives with EICAR in them at random and has them examined; what is clean is given to all programs that are here. */
export async function* fuzzArchives(folder: string, first: number, count: number): AsyncGenerator<Fuzzed> {
  const archives = await archivesWithEicar()
  const [names, all] = [[...archives.keys()], [...archives.values()]]
  for (let seed = first; seed < first + count; seed++) {
    const pick = chance(seed)
    const which = pick(names.length)
    const bytes = mutated(all[which] ?? Buffer.alloc(0), all, pick)
    const begun = performance.now()
    const { status } = await examineBytes(folder, { bytes }, strict)
    const seconds = (performance.now() - begun) / 1000
    const extractors = status === 'clean' ? await extractorsOfEicar(bytes, folder) : []
    yield { seed, of: names[which] ?? '', bytes, status, extractors, seconds }
  }
}
