import { type ChildProcess, spawn } from 'node:child_process'
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from '#lib/config.ts'
import { Millrace } from '../../../sdk/node/src/index.ts'
import type { Scope } from '../../support/postgres.ts'
import { until } from '../../support/until.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

export const quickstarts = join(root, 'sdk/quickstarts')

/** Copies a quick start into a folder, with packages of this repository and the SDK as its package. */
export async function linkedProject(name: string, folder: string, packages: readonly string[]): Promise<void> {
  await cp(join(quickstarts, name), folder, { recursive: true })
  const sdk = join(folder, 'node_modules/millrace')
  await mkdir(sdk, { recursive: true })
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
  await writeFile(join(sdk, 'package.json'), '{ "type": "module", "exports": { ".": "./src/index.ts" } }\n')
  await symlink(join(root, 'sdk/node/src'), join(sdk, 'src'))
  for (const one of packages) await symlink(join(root, 'node_modules', one), join(folder, 'node_modules', one))
}

/** Creates an API key with exactly the scopes that the guide of a quick start names. */
export async function keyOfGuide(baseUrl: string, apiKey: string, guide: string): Promise<string> {
  const [, names = ''] = /The key needs the scopes (.+)\./.exec(guide) ?? []
  const scopes = [...names.matchAll(/`([\w:]+)`/g)].map(([, scope = '']) => scope)
  const client = new Millrace({ baseUrl, apiKey })
  return (await client.account.keys.create({ name: 'Quick start', scopes: scopes as never })).secret
}

export interface Started {
  process: ChildProcess
  /** Everything that the program has printed. */
  output(): string
}

/** Starts a program of a quick start until the test ends, and waits until its URL answers. */
export async function startProject(
  t: Scope,
  { command, folder, url, environment }: { command: string[]; folder: string; url: string; environment: object },
): Promise<Started> {
  const [program = '', ...args] = command
  const child = spawn(program, args, {
    cwd: folder,
    env: childEnvironment(environment as Record<string, string>),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.teardown(async () => {
    child.kill('SIGKILL')
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  const answers = async () => {
    if (child.exitCode !== null) throw new Error(`The program ended:\n${output}`)
    return (await fetch(url).catch(() => undefined)) !== undefined
  }
  await until(answers, { timeout: 60_000, what: `${url} answers` })
  return { process: child, output: () => output }
}
