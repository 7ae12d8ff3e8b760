import type { Dirent } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'

const layers = ['ingress', 'tasks', 'workers', 'sql', 'lib', 'ops', 'sdk', 'test']
/** The areas of the API, and shared areas. Each is a folder in every layer that it uses. */
const areas = new Set(
  'account ai geo bots whatsapp sms directory erp voice identity intake automation work wiki files hooks notify people trust email push guard verify video live rooms playback restreams sources'
    .concat(' webhooks jobs knowledge service docs console app')
    .split(' '),
)
/** Folders of a layer that are not areas. */
const machinery = new Set(['ingress/http', 'tasks/queue', 'sql/migrations', 'sql/partitions'])
/** Folders of lib, which has no areas. */
const libRooms = new Set(['config', 'json-schema', 'language', 'liquid', 'network', 'storage', 'telemetry'])
const drawers = /^(utils?|helpers?|common|misc|shared|types|manager|service)\.(ts|js|cjs|mjs)$/

/** Returns the violations of architecture rules that no linter checks, one sentence each. */
export async function architectureFaults(root: string): Promise<string[]> {
  const files = await sourceFiles(root)
  const found = await Promise.all([
    sizes(root, files),
    names(files),
    areaFolders(files),
    libServesAll(root, files),
    migrations(root),
    tasksAreTheirPaths(root, files),
    operationsAreTheirPaths(root, files),
  ])
  return found.flat().sort()
}

async function sourceFiles(root: string): Promise<string[]> {
  const perLayer = layers.map(async (layer) => {
    const folder = join(root, layer)
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((): Dirent[] => [])
    // A folder can have the name of a file. For example, Next.js serves the folder `app/sw.js` as that file.
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
      .filter((path) => !/(^|\/)(node_modules|generated|dist)\//.test(path))
      .filter((path) => !/^python\/src\/millrace\/(_operations\.py|_sync\/|_async\/areas\/|types\/)/.test(path))
      .map((path) => `${layer}/${path}`)
  })
  return (await Promise.all(perLayer)).flat().filter((path) => /\.(ts|cjs|js|mjs|sh|sql|py)$/.test(path))
}

async function sizes(root: string, files: string[]): Promise<string[]> {
  const checked = files.map(async (file) => {
    const lines = (await readFile(join(root, file), 'utf8')).trimEnd().split('\n').length
    const most = file.startsWith('test/') ? 400 : 300
    return lines > most ? [`${file} has ${lines} lines, more than ${most}`] : []
  })
  return (await Promise.all(checked)).flat()
}

function names(files: string[]): string[] {
  return files.flatMap((file) => {
    const name = file.split('/').at(-1) ?? ''
    if (drawers.test(name)) return [`${file} is named after no thing`]
    return /^[a-z0-9_]+([.-][a-z0-9_]+)*$/.test(name) ? [] : [`${file} is not kebab-case`]
  })
}

function areaFolders(files: string[]): string[] {
  const folders = files.map((file) => /^(ingress|tasks|sql)\/([^/]+)\//.exec(file)).filter((match) => match !== null)
  const strange = folders.filter(([, layer, name]) => !areas.has(name ?? '') && !machinery.has(`${layer}/${name}`))
  return [...new Set(strange.map(([, layer, name]) => `${layer}/${name} is a folder of no area`))]
}

/** lib has only these folders, and no file that only one area uses. */
async function libServesAll(root: string, files: string[]): Promise<string[]> {
  const rooms = new Set(files.flatMap((file) => /^lib\/([^/]+)\//.exec(file)?.[1] ?? []))
  const strange = [...rooms].filter((room) => !libRooms.has(room)).map((room) => `lib/${room} is no room of lib`)
  const users = new Map<string, Set<string>>()
  for (const file of files.filter((path) => !path.startsWith('test/'))) {
    const text = await readFile(join(root, file), 'utf8')
    const [layer = '', area = ''] = file.split('/')
    const user = layer === 'lib' || layer === 'ops' ? layer : area
    for (const [, used] of text.matchAll(layer === 'lib' ? /'\.\.?\/([a-z-]+\.ts)'/g : /'#lib\/([a-z-]+\.ts)'/g)) {
      users.set(`lib/${used}`, (users.get(`lib/${used}`) ?? new Set()).add(user))
    }
  }
  const single = files.filter((file) => /^lib\/[^/]+\.ts$/.test(file) && users.get(file)?.size === 1)
  const alone = single.map((file) => ({ file, user: [...(users.get(file) ?? [])][0] ?? '' }))
  return [
    ...strange,
    ...alone.filter(({ user }) => user !== 'lib').map(({ file, user }) => `${file} is used by ${user} alone`),
  ]
}

async function migrations(root: string): Promise<string[]> {
  const files = await readdir(join(root, 'sql/migrations')).catch((): string[] => [])
  // Numbers go on from the migrations that the baselines replaced.
  const first = Number(files.sort()[0]?.slice(0, 4)) || 1
  return files.flatMap((file, index) => {
    const number = String(first + index).padStart(4, '0')
    return new RegExp(`^${number}_[a-z0-9]+(_[a-z0-9]+)*\\.sql$`).test(file)
      ? []
      : [`sql/migrations/${file} stands where ${number}_<area>_<what>.sql should`]
  })
}

type Exports = Record<string, Record<string, unknown>>
const load = async (root: string, file: string): Promise<Exports> => import(pathToFileURL(join(root, file)).href)
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const isTask = (value: unknown) => isObject(value) && 'pool' in value && 'payload' in value && 'run' in value
const isRoute = (value: unknown) => isObject(value) && 'method' in value && 'path' in value && 'summary' in value

/**
 * `tasks/<area>/<verb>.ts` exports one task with the name `<area>/<verb>`, and the index lists it. Other code is in
 * `rules/`, except the area’s pools and the requirements for its engines.
 */
async function tasksAreTheirPaths(root: string, files: string[]): Promise<string[]> {
  if (!files.includes('tasks/index.ts')) return []
  const listed = new Set(((await load(root, 'tasks/index.ts')).tasks ?? []) as unknown as unknown[])
  const checked = files.map(async (file) => {
    const [, area, name] = /^tasks\/([^/]+)\/(.+)\.ts$/.exec(file) ?? []
    if (!area || !name || name.startsWith('rules/')) return []
    const path = `${area}/${name}`
    const found = Object.values(await load(root, file)).filter(isTask)
    const misnamed = found.filter((task) => task.name !== path).map((task) => `${file} declares task ${task.name}`)
    const unlisted = found
      .filter((task) => !listed.has(task))
      .map((task) => `task ${task.name} is not in tasks/index.ts`)
    const isElse = area === 'queue' || ['engine', 'pools'].includes(name)
    return [...misnamed, ...unlisted, ...(found.length > 0 || isElse ? [] : [`${file} is no task`])]
  })
  return (await Promise.all(checked)).flat()
}

/**
 * Operation `<area>.<resource>.<export>` is this export of `ingress/<area>/<resource>.ts`, and each such route is an
 * operation.
 */
async function operationsAreTheirPaths(root: string, files: string[]): Promise<string[]> {
  const indexes = files.filter((file) => /^ingress\/[^/]+\/index\.ts$/.test(file))
  const routes = new Map<unknown, string>()
  for (const index of indexes) {
    for (const area of Object.values(await load(root, index)).filter((value) => Array.isArray(value?.operations))) {
      for (const { id, route } of area.operations as { id: string; route: unknown }[]) routes.set(route, id)
    }
  }
  const faults: string[] = []
  for (const file of files.filter((path) => /^ingress\/[^/]+\/[^/]+\.ts$/.test(path) && !indexes.includes(path))) {
    for (const [name, route] of Object.entries(await load(root, file)).filter(([, value]) => isRoute(value))) {
      const id = `${file.slice('ingress/'.length, -'.ts'.length).replace('/', '.')}.${name}`
      if (routes.get(route) !== id) faults.push(`route ${id} is ${routes.get(route) ?? 'in no table of contents'}`)
    }
  }
  return faults
}
