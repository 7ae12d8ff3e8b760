import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Audience of a chapter: API clients, or operators. */
export type Side = 'build' | 'run'

/** A Markdown file that the documentation shows as a page. */
export interface Guide {
  name: string
  /** Path from the root of the repository. */
  path: string
  title: string
  markdown: string
  side: Side
}

export interface Chapter {
  title: string
  side: Side
  guides: readonly Guide[]
}

let read: readonly Chapter[] | undefined

/** Returns all guides by chapter. The guides are read once, at the first call. */
export function chapters(): readonly Chapter[] {
  read ??= [
    chapter('build', 'Get started', [
      ['quickstart', 'ingress/docs/site/pages/quickstart.md'],
      ['node', 'sdk/node/README.md'],
      ['react', 'sdk/node/REACT.md'],
      ['outbox', 'sdk/node/OUTBOX.md'],
      ['python', 'sdk/python/README.md'],
    ]),
    chapter('build', 'Quick starts', ofFrameworks()),
    chapter(
      'build',
      'The API',
      'authentication dashboard errors pagination idempotency limits test-mode events versioning changelog'
        .split(' ')
        .map((name) => [name, `ingress/docs/site/pages/${name}.md`]),
    ),
    chapter('build', 'Areas', ofAreas()),
    chapter('run', 'Install', [
      ['start', 'README.md'],
      ['deploy', 'ops/deploy/README.md'],
      ['configure', 'ops/CONFIGURE.md'],
      ['postgres', 'ops/deploy/POSTGRES.md'],
    ]),
    chapter('run', 'Operate', [
      ['ops', 'ops/README.md'],
      ['operate', 'ops/OPERATE.md'],
      ['console', 'ingress/console/README.md'],
      ['workers', 'workers/README.md'],
      ['janus', 'workers/rooms/README.md'],
      ['mail-host', 'workers/mail/README.md'],
      ['scale', 'ops/deploy/SCALE.md'],
      ['cells', 'ops/deploy/CELLS.md'],
      ['benchmarks', 'ops/BENCHMARKS.md'],
    ]),
  ].filter((one) => one.guides.length > 0)
  return read
}

export const isHere = (path: string): boolean => !path.startsWith('..') && existsSync(`${root}/${path}`)

/** Returns the URL at which the documentation shows a file or folder of the repository. */
export const fileUrl = (path: string): string => `/docs/files/${path.replaceAll('/', '~')}`

export const onDisk = (path: string): string => `${root}/${path}`

export const guides = (): readonly Guide[] => chapters().flatMap((part) => part.guides)

const quickstarts = 'sdk/quickstarts'

/** Returns the name of the guide of a quick start. */
export const quickstartName = (framework: string): string => `quickstart-${framework}`

/** Returns the quick start of each framework. A folder with a README is a quick start. */
const ofFrameworks = (): [name: string, path: string][] =>
  foldersIn(quickstarts).map((framework) => [quickstartName(framework), `${quickstarts}/${framework}/README.md`])

const foldersIn = (path: string): string[] =>
  existsSync(`${root}/${path}`)
    ? readdirSync(`${root}/${path}`, { withFileTypes: true }).flatMap((entry) =>
        entry.isDirectory() ? entry.name : [],
      )
    : []

/** Returns the guides of each area: its README, then its other Markdown files. */
const ofAreas = (): [name: string, path: string][] =>
  foldersIn('ingress')
    .filter((name) => name !== 'console')
    .flatMap((area): [name: string, path: string][] => [
      [area, `ingress/${area}/README.md`],
      ...readdirSync(`${root}/ingress/${area}`)
        .filter((file) => file.endsWith('.md') && file !== 'README.md')
        .map((file): [string, string] => [`${area}-${file.slice(0, -3).toLowerCase()}`, `ingress/${area}/${file}`]),
    ])

/** Titles for guides whose heading is not suitable for the navigation. */
const titles: Readonly<Record<string, string>> = {
  start: 'Start here',
  ops: 'Overview',
  node: 'Node and browsers',
  python: 'Python',
  voice: 'Voice',
}

/** Languages of code blocks, by the extension of the file. */
const languages: Readonly<Record<string, string>> = { mjs: 'js', jsx: 'js', tsx: 'ts', py: 'python', rb: 'ruby' }

/** Replaces each mark `<!-- file: server.js -->` by the content of that file. `folder` is the folder of the guide. */
function withFiles(markdown: string, folder: string): string {
  return markdown.replace(/^<!-- file: ([\w./[\]-]{1,200}) -->$/gm, (_, name: string) => {
    const extension = posix.extname(name).slice(1)
    const code = readFileSync(`${root}/${folder}/${name}`, 'utf8').trimEnd()
    return `\`\`\`\`${languages[extension] ?? extension}\n${code}\n\`\`\`\``
  })
}

function chapter(side: Side, title: string, files: [name: string, path: string][]): Chapter {
  const there = files.filter(([, path]) => existsSync(`${root}/${path}`))
  const guidesOf = there.map(([name, path]) => {
    const markdown = withFiles(readFileSync(`${root}/${path}`, 'utf8'), posix.dirname(path))
    const [, heading = name] = /^# (.+)$/m.exec(markdown) ?? []
    return { name, path, side, title: titles[name] ?? heading.replace(/: (a |the )?guide$/i, ''), markdown }
  })
  return { title, side, guides: guidesOf }
}
