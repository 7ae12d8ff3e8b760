import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { checkProject } from './web-checks.ts'
import { startProject } from './web-project.ts'

t.setTimeout(400_000)
const skeleton = fileURLToPath(new URL('laravel', import.meta.url))

if (!existsSync('/usr/share/php/Illuminate/autoload.php') || !existsSync('/usr/share/php/GuzzleHttp/autoload.php')) {
  t.comment('Laravel is not installed here: apt-get install php-laravel-framework php-guzzlehttp-guzzle')
} else {
  const project = await startProject(t, {
    framework: 'laravel',
    folder: 'laravel-shop',
    headings: ['Create the project', 'Configure the project'],
    smtp: 'mail_submissions',
    command: (port) => ['php', 'artisan', 'serve', '--no-reload', '--host', 'localhost', '--port', String(port)],
    // The files of a new project are the test's, so that nothing is downloaded.
    replace: {
      'composer create-project laravel/laravel laravel-shop': `cp -r ${skeleton} laravel-shop && mv laravel-shop/example.env laravel-shop/.env`,
    },
  })
  const log = join(t.testdirName, 'laravel-shop/storage/logs/laravel.log')
  checkProject(t, project, { subjects: ['Your order'], log: () => readFile(log, 'utf8').catch(() => '') })
}
