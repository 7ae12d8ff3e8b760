import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isProgram } from '../../program.ts'

const programs = ['ceph', 'ceph-mon', 'ceph-osd', 'ceph-authtool', 'monmaptool', 'radosgw', 'radosgw-admin']

/**
 * Returns the programs of Ceph that are not installed. They are in Debian's packages ceph-mon, ceph-osd, ceph-common
 * and radosgw.
 */
export async function findMissingPrograms(): Promise<string[]> {
  const there = await Promise.all(programs.map((name) => isProgram(join('/usr/bin', name))))
  return programs.filter((_, at) => !there[at])
}

export type RunCephProgram = (program: string, ...args: string[]) => Promise<string>

export function cephProgramsFor(configuration: string): RunCephProgram {
  return async (program, ...args) => {
    const isBare = program === 'monmaptool' || program === 'ceph-authtool'
    const all = [...(isBare ? [] : ['-c', configuration]), ...args]
    return (await promisify(execFile)(join('/usr/bin', program), all, { timeout: 120_000 })).stdout
  }
}
