import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** The configuration that operators copy. */
const shipped = fileURLToPath(new URL('../deploy/ceph/ceph.conf', import.meta.url))

/** Where a bed's cluster lives. */
export interface Place {
  folder: string
  fsid: string
  host: string
  /** The monitor's port of each protocol, and that of the gateway. */
  ports: { monitor: number; old: number; gateway: number }
}

/** Addresses of the monitor, as Ceph has them. */
export const monitorAt = ({ host, ports }: Place): string => `[v2:${host}:${ports.monitor},v1:${host}:${ports.old}]`

/** The name of the gateway's account. */
export const gatewayName = 'client.rgw.bed'

/** Writes the shipped configuration, filled in, and where a bed has its files; returns its path. */
export async function writeConfiguration(place: Place): Promise<string> {
  const { folder, fsid, host, ports } = place
  const values: Record<string, string> = {
    FSID: fsid,
    MON_HOST: monitorAt(place),
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
 * What is a bed's alone: its files in its folder, small stores and few placement groups, and a clock of the lifecycle by which a
 * day takes ten seconds.
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
