import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const shipped = fileURLToPath(new URL('../../deploy/ceph/ceph.conf', import.meta.url))

export interface CephLocation {
  folder: string
  fsid: string
  host: string
  /** Ports of the monitor for both protocols, and port of the gateway. */
  ports: { monitor: number; old: number; gateway: number }
}

export const monitorAddress = ({ host, ports }: CephLocation): string =>
  `[v2:${host}:${ports.monitor},v1:${host}:${ports.old}]`

export const gatewayName = 'client.rgw.bed'

/**
 * Writes the shipped configuration with values filled in, and adds the paths of the bed. Returns the path of the file.
 */
export async function writeConfiguration(place: CephLocation): Promise<string> {
  const { folder, fsid, host, ports } = place
  const values: Record<string, string> = {
    FSID: fsid,
    MON_HOST: monitorAddress(place),
    NETWORK: `${host}/32`,
    RGW: 'bed',
    RGW_ENDPOINT: `${host}:${ports.gateway}`,
  }
  const text = (await readFile(shipped, 'utf8')).replaceAll(/@([A-Z_]+)@/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`${shipped}: unknown placeholder @${name}@.`)
    return value
  })
  const path = `${folder}/ceph.conf`
  await writeFile(path, `${text}\n${ofBed(folder)}`)
  return path
}

/**
 * Settings only for the bed: files in its folder, small stores, few placement groups, and a lifecycle in which a day
 * lasts ten seconds.
 */
const ofBed = (folder: string) => `[global]
run dir = ${folder}/run
admin socket = ${folder}/run/$name.asok
log file = ${folder}/$name.log
keyring = ${folder}/$name.keyring
osd pool default pg num = 8
osd pool default pgp num = 8
osd pool default pg autoscale mode = off
mon max pg per osd = 1000
[mon]
mon data = ${folder}/mon
mon data avail warn = 1
mon data avail crit = 1
[osd]
osd data = ${folder}/osd-$id
osd objectstore = bluestore
bluestore block size = 8589934592
bluestore cache autotune = false
bluestore cache size = 67108864
[${gatewayName}]
rgw lc debug interval = 10
`
