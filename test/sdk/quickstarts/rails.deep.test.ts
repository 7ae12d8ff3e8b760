import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { checkProject } from './web-checks.ts'
import { type Recipe, startProject } from './web-project.ts'

t.setTimeout(400_000)

/** Debian's packages ruby-rails and puma, so that nothing is downloaded. */
const recipe: Recipe = {
  framework: 'rails',
  folder: 'rails-shop',
  command: (port) => ['bin/rails', 'server', '-p', String(port), '-b', 'localhost'],
  replace: {
    'rails new rails-shop': `rails new rails-shop ${[
      ...[
        '--skip-bundle',
        '--skip-git',
        '--skip-test',
        '--skip-bootsnap',
        '--skip-listen',
        '--skip-spring',
        '--skip-sprockets',
      ],
      ...['--skip-active-storage', '--skip-action-mailbox', '--skip-action-text', '--skip-action-cable'],
    ].join(' ')}`,
  },
  async prepare(folder) {
    await writeFile(join(folder, 'Gemfile'), "gem 'rails'\ngem 'puma'\n")
  },
}

if (!hasRails()) {
  t.comment('Rails is not installed here: apt-get install ruby-rails puma')
} else {
  const project = await startProject(t, recipe)
  const folder = join(t.testdirName, 'rails-shop')
  checkProject(t, project, {
    subjects: ['Your order'],
    log: () => readFile(join(folder, 'log/development.log'), 'utf8'),
  })
}

function hasRails(): boolean {
  try {
    execFileSync('ruby', ['-e', 'require "rails"'], { stdio: 'ignore', timeout: 60_000 })
    return true
  } catch {
    return false
  }
}
