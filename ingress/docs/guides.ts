import { existsSync, readdirSync, readFileSync } from 'node:fs'
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
      ['outbox', 'sdk/node/OUTBOX.md'],
      ['python', 'sdk/python/README.md'],
      ['php', 'sdk/php/README.md'],
      ['go', 'sdk/go/README.md'],
    ]),
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
  ]
  return read
}

export const isHere = (path: string): boolean => !path.startsWith('..') && existsSync(`${root}/${path}`)

/** Returns the URL at which the documentation shows a file or folder of the repository. */
export const fileUrl = (path: string): string => `/docs/files/${path.replaceAll('/', '~')}`

export const onDisk = (path: string): string => `${root}/${path}`

export const guides = (): readonly Guide[] => chapters().flatMap((part) => part.guides)

/** Returns the guides of each area: its README, then its other Markdown files. */
const ofAreas = (): [name: string, path: string][] =>
  readdirSync(`${root}/ingress`, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'console')
    .flatMap(({ name: area }): [name: string, path: string][] => [
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
  php: 'PHP',
  go: 'Go',
  voice: 'Voice',
}

function chapter(side: Side, title: string, files: [name: string, path: string][]): Chapter {
  const there = files.filter(([, path]) => existsSync(`${root}/${path}`))
  const guidesOf = there.map(([name, path]) => {
    const markdown = readFileSync(`${root}/${path}`, 'utf8')
    const [, heading = name] = /^# (.+)$/m.exec(markdown) ?? []
    return { name, path, side, title: titles[name] ?? heading.replace(/: (a |the )?guide$/i, ''), markdown }
  })
  return { title, side, guides: guidesOf }
}
