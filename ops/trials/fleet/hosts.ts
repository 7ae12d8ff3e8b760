import { execFile, spawnSync } from 'node:child_process'
import { access, readdir } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { Command } from '../../embedded/postgres-account.ts'
import { kill } from '../../kill.ts'

const run = async (file: string, ...args: string[]): Promise<string> => (await promisify(execFile)(file, args)).stdout

const ip = (...args: string[]) => run('ip', ...args)

/** A worker host: a network namespace with its own name and one link to the others. */
export class Host {
  readonly name: string
  readonly address: string
  readonly #namespace: string
  readonly #link: string
  /** Cores for the host's programs. Empty for all cores. */
  cores = ''
  /** Clock offset in the format of libfaketime (`+1h`) for processes that are started later. */
  skew = ''

  constructor(name: string, address: string, namespace: string, link: string) {
    this.name = name
    this.address = address
    this.#namespace = namespace
    this.#link = link
  }

  command({ file, args }: Command): Command {
    const clock = this.skew === '' ? [] : ['env', `LD_PRELOAD=${clockLibrary}`, `FAKETIME=${this.skew}`, monotonic]
    const cores = this.cores === '' ? [] : ['taskset', '-c', this.cores]
    const named = ['unshare', '--uts', '--', 'sh', '-c', 'hostname "$0" && exec "$@"', this.name]
    return { file: 'ip', args: ['netns', 'exec', this.#namespace, ...named, ...cores, ...clock, file, ...args] }
  }

  /** Disconnects its link without notifying anyone. */
  cut = () => ip('link', 'set', this.#link, 'down')

  join = () => ip('link', 'set', this.#link, 'up')

  /** Slows the host's link down in both directions. `undo` removes the limit. */
  async slow(kind: LinkKind): Promise<void> {
    for (const at of [[], ['-n', this.#namespace]]) {
      const device = at.length === 0 ? this.#link : 'uplink'
      await run('tc', ...at, 'qdisc', 'add', 'dev', device, 'root', ...linkKinds[kind])
    }
  }

  async undo(): Promise<void> {
    await run('tc', 'qdisc', 'del', 'dev', this.#link, 'root').catch(() => {})
    await run('tc', '-n', this.#namespace, 'qdisc', 'del', 'dev', 'uplink', 'root').catch(() => {})
  }

  async kill(): Promise<void> {
    for (const pid of (await ip('netns', 'pids', this.#namespace)).split('\n').filter(Boolean)) {
      kill(Number(pid))
    }
  }
}

/** Slow links: by bandwidth or, if the kernel has netem, also by delay and loss. */
const linkKinds = {
  narrow: ['tbf', 'rate', '2mbit', 'burst', '32kbit', 'latency', '400ms'],
  far: ['netem', 'delay', '80ms', '20ms', 'loss', '1%', 'rate', '10mbit'],
} as const

export type LinkKind = keyof typeof linkKinds

const monotonic = 'FAKETIME_DONT_FAKE_MONOTONIC=1'
let clockLibrary = ''

export async function hasClocks(): Promise<boolean> {
  const folders = (await readdir('/usr/lib')).filter((name) => name.endsWith('-linux-gnu'))
  for (const folder of folders) {
    const path = `/usr/lib/${folder}/faketime/libfaketimeMT.so.1`
    if (
      await access(path).then(
        () => true,
        () => false,
      )
    )
      clockLibrary = path
  }
  return clockLibrary !== ''
}

export interface Network {
  address: string
  hosts: Host[]
  kinds: LinkKind[]
}

/** Returns the reason why hosts cannot be created here, or `undefined` if they can. */
export async function whyNoHosts(): Promise<string | undefined> {
  const name = `millrace-${process.pid}`
  try {
    await ip('netns', 'add', name)
    await ip('netns', 'exec', name, 'unshare', '--uts', '--', 'true')
    await ip('link', 'add', `mr${process.pid}t`, 'type', 'bridge')
    await ip('link', 'del', `mr${process.pid}t`)
    return undefined
  } catch (error) {
    return `network namespaces are not available: ${(error as Error).message.trim().split('\n').at(-1)}`
  } finally {
    await ip('netns', 'del', name).catch(() => {})
  }
}

/** Creates hosts that are removed with `ends`. First removes the remains of a killed run. */
export async function createNetwork(count: number, ends: AsyncDisposableStack): Promise<Network> {
  await removeLeftovers()
  const bridge = `mr${process.pid}b`
  const subnet = `10.213.${process.pid % 250}`
  await ip('link', 'add', bridge, 'type', 'bridge')
  ends.defer(async () => void (await ip('link', 'del', bridge).catch(() => {})))
  await ip('addr', 'add', `${subnet}.1/24`, 'dev', bridge)
  await ip('link', 'set', bridge, 'up')
  // An interrupted run does not dispose of its `ends`.
  const namespaces: string[] = []
  process.once('exit', () => {
    for (const name of namespaces) spawnSync('ip', ['netns', 'del', name])
    spawnSync('ip', ['link', 'del', bridge])
  })
  const hosts: Host[] = []
  for (let number = 1; number <= count; number++) {
    const [namespace, link] = [`millrace-${process.pid}-${number}`, `mr${process.pid}h${number}`]
    await ip('netns', 'add', namespace)
    namespaces.push(namespace)
    ends.defer(async () => void (await ip('netns', 'del', namespace).catch(() => {})))
    await ip('link', 'add', link, 'type', 'veth', 'peer', 'name', 'uplink', 'netns', namespace)
    await ip('link', 'set', link, 'master', bridge, 'up')
    const address = `${subnet}.${number + 1}`
    await ip('-n', namespace, 'addr', 'add', `${address}/24`, 'dev', 'uplink')
    await ip('-n', namespace, 'link', 'set', 'uplink', 'up')
    await ip('-n', namespace, 'link', 'set', 'lo', 'up')
    hosts.push(new Host(`host-${number}`, address, namespace, link))
  }
  return { address: `${subnet}.1`, hosts, kinds: await kindsOn(bridge) }
}

async function kindsOn(bridge: string): Promise<LinkKind[]> {
  const possible: LinkKind[] = []
  for (const kind of Object.keys(linkKinds) as LinkKind[]) {
    const made = run('tc', 'qdisc', 'add', 'dev', bridge, 'root', ...linkKinds[kind])
    if (
      !(await made.then(
        () => true,
        () => false,
      ))
    )
      continue
    await run('tc', 'qdisc', 'del', 'dev', bridge, 'root')
    possible.push(kind)
  }
  return possible
}

async function removeLeftovers(): Promise<void> {
  const alive = async (pid: string) =>
    access(`/proc/${pid}`).then(
      () => true,
      () => false,
    )
  for (const line of (await ip('netns', 'list')).split('\n')) {
    const [name, pid] = /^millrace-(\d+)(-\d+)?/.exec(line) ?? []
    if (name && pid && !(await alive(pid))) await ip('netns', 'del', name).catch(() => {})
  }
  for (const [, name = '', pid = ''] of (await ip('-o', 'link')).matchAll(/^\d+: (mr(\d+)[bt])[:@]/gm)) {
    if (!(await alive(pid))) await ip('link', 'del', name).catch(() => {})
  }
}
