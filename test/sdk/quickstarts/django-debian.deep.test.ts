import { join } from 'node:path'
import t from 'tap'
import { debianPython, pythonClient } from '../../support/python.ts'
import { checkProject } from './web-checks.ts'
import { startProject } from './web-project.ts'

t.setTimeout(300_000)

/** Django and httpx are Debian's, so that nothing is downloaded. */
const project = await startProject(t, {
  framework: 'django',
  folder: 'django-shop',
  command: (port) => ['.venv/bin/python', 'manage.py', 'runserver', '--noreload', String(port)],
  replace: {
    'python3 -m venv .venv': `${debianPython} -m venv --system-site-packages --without-pip .venv`,
    '.venv/bin/pip install': 'echo',
    '.venv/bin/django-admin': '.venv/bin/python -m django',
  },
  environment: { PYTHONPATH: join(pythonClient, 'src'), PYTHONDONTWRITEBYTECODE: '1' },
})

checkProject(t, project, { subjects: ['Your order', 'Your invoice'] })
