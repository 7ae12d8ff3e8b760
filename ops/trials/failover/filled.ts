import { readFile } from 'node:fs/promises'
import { parse, stringify } from 'yaml'

/** IP addresses of the three hosts in the shipped files, in order. */
const shippedHosts = ['10.0.0.11', '10.0.0.12', '10.0.0.13']

const read = (name: string) => readFile(new URL(`../../deploy/patroni/${name}`, import.meta.url), 'utf8')

export interface DatabaseHost {
  name: string
  address: string
  dir: string
}

/** Returns the shipped patroni.yml for one of the hosts. `programs` is the folder of the Postgres programs. */
export async function patroniFile(
  place: DatabaseHost,
  all: readonly DatabaseHost[],
  programs: string,
): Promise<string> {
  const { name, address, dir } = place
  const shipped = parse(await read('patroni.yml'))
  const { postgresql, restapi } = shipped
  const own = (text: string) => text.replace(shippedHosts[0] as string, address)
  const network = `${address.slice(0, address.lastIndexOf('.'))}.0/24`
  return stringify({
    ...shipped,
    name,
    restapi: { ...restapi, listen: own(restapi.listen), connect_address: own(restapi.connect_address) },
    etcd: { hosts: all.map((other) => `${other.address}:2379`) },
    postgresql: {
      ...postgresql,
      listen: own(postgresql.listen),
      connect_address: own(postgresql.connect_address),
      data_dir: `${dir}/data`,
      bin_dir: programs,
      pgpass: `${dir}/pgpass`,
      pg_hba: postgresql.pg_hba.map((rule: string) => rule.replace('10.0.0.0/24', network)),
      parameters: { ...postgresql.parameters, unix_socket_directories: '', shared_buffers: '64MB', timezone: 'UTC' },
    },
  })
}

export async function etcdVariables(
  place: DatabaseHost,
  all: readonly DatabaseHost[],
): Promise<Record<string, string>> {
  const lines = (await read('etcd.env')).split('\n').filter((line) => /^ETCD_/.test(line))
  const shipped = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
  const own = Object.entries(shipped).map(([name, value]) => [
    name,
    value.replace(shippedHosts[0] as string, place.address),
  ])
  return {
    ...Object.fromEntries(own),
    ETCD_NAME: place.name,
    ETCD_DATA_DIR: `${place.dir}/etcd`,
    ETCD_INITIAL_CLUSTER: all.map(({ name, address }) => `${name}=http://${address}:2380`).join(),
  }
}

interface Doors {
  host: string
  primary: number
  replicas: number
}

/** Returns the shipped haproxy.cfg for a HAProxy that runs as an ordinary user. */
export async function haproxyFile({ host, primary, replicas }: Doors, all: readonly DatabaseHost[]): Promise<string> {
  const text = (await read('haproxy.cfg'))
    .replace(/^ {2}(user|group) .*\n/gm, '')
    .replace('127.0.0.1:5000', `${host}:${primary}`)
    .replace('127.0.0.1:5001', `${host}:${replicas}`)
  return shippedHosts.reduce((so, shipped, i) => so.replaceAll(shipped, all[i]?.address ?? shipped), text)
}
