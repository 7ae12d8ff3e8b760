import { access, constants } from 'node:fs/promises'
import { config } from '#lib/config.ts'
import { command } from '../../workers/scan/connection.ts'
import { type Finding, well } from './finding.ts'

/** Whether there is a clamd to scan with: the one that the environment names answers, or the program of the embedded one is there. */
export async function scanner(): Promise<Finding> {
  const { CLAMD_SOCKET: socket, CLAMD_HOST: host, CLAMD_PORT: port, CLAMD_PATH: program } = config
  const address = host ? { host, port } : socket ? { socket } : undefined
  if (address) return well('clamd', `${await command(address, 'VERSION')} at ${host ?? socket}`)
  await access(program, constants.X_OK).catch(() => {
    throw new Error(`there is no program ${program}`)
  })
  return well('clamd', `${program} is there`)
}
