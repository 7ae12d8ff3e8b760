import { execFileSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { debianPython, pythonClient } from '../../support/python.ts'
import { checkProject } from './web-checks.ts'
import { startProject } from './web-project.ts'

t.setTimeout(400_000)

/** A current Django from the package index, next to Debian's httpx. */
const environment = `${t.testdirName}-current`
t.teardown(() => rm(environment, { recursive: true, force: true }))
const python = join(environment, 'bin/python')

if (!hasCurrentDjango()) {
  t.comment('Django 5.2 cannot be installed here.')
} else {
  const project = await startProject(t, {
    framework: 'django',
    folder: 'django-shop',
    command: (port) => [python, 'manage.py', 'runserver', '--noreload', String(port)],
    replace: {
      'python3 -m venv .venv': 'true',
      '.venv/bin/pip install': 'echo',
      '.venv/bin/django-admin': `${python} -m django`,
    },
    environment: { PYTHONPATH: join(pythonClient, 'src'), PYTHONDONTWRITEBYTECODE: '1' },
  })
  checkProject(t, project, { subjects: ['Your order', 'Your invoice'] })
}

function hasCurrentDjango(): boolean {
  const options = { stdio: 'ignore', timeout: 180_000 } as const
  try {
    execFileSync(debianPython, ['-m', 'venv', '--system-site-packages', environment], options)
    execFileSync(python, ['-m', 'pip', 'install', '-q', 'django==5.2.17'], options)
    return true
  } catch {
    return false
  }
}
