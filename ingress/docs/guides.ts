import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Whom a chapter is for: those who call the API, or those who run the service. */
export type Side = 'build' | 'run'

/** A guide: the Markdown file that lies beside what it explains, or a page of its own. */
export interface Guide {
  name: string
  /** From the repository's root. */
  path: string
  title: string
  markdown: string
  side: Side
}

/** Guides under one heading of the contents. */
export interface Chapter {
  title: string
  side: Side
  guides: readonly Guide[]
}

let read: readonly Chapter[] | undefined

/** Every guide, by chapter; read once, when somebody first looks. */
export function chapters(): readonly Chapter[] {
  read ??= [
    chapter('build', 'Begin', [
      ['quickstart', 'ingress/docs/site/pages/quickstart.md'],
      ['node', 'sdk/node/README.md'],
      ['python', 'sdk/python/README.md'],
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
    chapter('run', 'Run it', [
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

/** Whether the installation has a file or folder of the repository. */
export const isHere = (path: string): boolean => !path.startsWith('..') && existsSync(`${root}/${path}`)

/** Where the documentation shows a file or folder of the repository that a guide links to. */
export const fileUrl = (path: string): string => `/docs/files/${path.replaceAll('/', '~')}`

/** The path of a file or folder on disk. */
export const onDisk = (path: string): string => `${root}/${path}`

export const guides = (): readonly Guide[] => chapters().flatMap((part) => part.guides)

const ofAreas = (): [name: string, path: string][] =>
  readdirSync(`${root}/ingress`)
    .filter((area) => area !== 'console')
    .map((area) => [area, `ingress/${area}/README.md`])

/** What a guide is called where its heading does not say it. */
const titles: Readonly<Record<string, string>> = {
  start: 'Start here',
  ops: 'Overview',
  node: 'Node and browsers',
  python: 'Python',
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
