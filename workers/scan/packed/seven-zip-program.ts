import type { Unpacker } from './unpacker.ts'

/**
 * 7-Zip (7zz) on an archive of a format, which it takes for no other; says faults alone. It looks for a password at its standard input,
 * which is the archive, unless it is given one.
 */
export const sevenZip = (command: 'l' | 'x', format: string, ...args: string[]): Unpacker => ({
  program: '7zz',
  args: [command, ...args, `-t${format}`, '-pnone', '-mmt1', '-sccUTF-8', '-bd', '-bse2', '-bsp0', '--', '/dev/stdin'],
})
