import { readdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'
import { readContract } from '../../sdk/generate/document.ts'
import { generateFiles } from '../../sdk/generate/generated.ts'
import { buildSnippets } from '../../sdk/generate/snippets.ts'
import { run } from '../support/python.ts'

const client = fileURLToPath(new URL('../../sdk/php', import.meta.url))

const php = (code: string, args: string[] = []) =>
  run('php', ['-d', 'error_reporting=-1', '-r', `require '${client}/autoload.php'; ${code}`, '--', ...args])

test('every file of the PHP client loads, and every call of the reference parses', async (t) => {
  const names = (await readdir(join(client, 'src'), { recursive: true })).filter((name) => name.endsWith('.php'))
  t.ok(names.length > 300)
  const loaded = await php(
    `foreach (array_slice($argv, 1) as $name) {
      $class = 'Millrace\\\\' . str_replace('/', '\\\\', substr($name, 0, -4));
      if (!class_exists($class) && !interface_exists($class)) echo "$class\\n";
    }`,
    names,
  )
  t.equal(loaded, '')
  const { methods, schemas } = readContract()
  const calls = methods.map((method) => buildSnippets(method, schemas).find(({ lang }) => lang === 'PHP')?.source)
  const input = `<?php\n${calls.join('\n')}`
  t.match(await run('php', ['-l'], { input }), /^No syntax errors/)
})

test('nothing is left of a class that is not generated any more', async (t) => {
  const made = new Set(generateFiles().map(({ path }) => path))
  for (const folder of ['Areas', 'Types']) {
    const names = await readdir(join(client, 'src', folder), { recursive: true })
    const paths = names.filter((name) => name.endsWith('.php')).map((name) => `sdk/php/src/${folder}/${name}`)
    t.same(
      paths.filter((path) => !made.has(path)),
      [],
    )
  }
})

test('hooks receive each attempt without the key, and the key is in no text', async (t) => {
  let requests = 0
  const server = createServer((_, response) => {
    response.setHeader('x-request-id', `req-${++requests}`)
    if (requests === 1) response.writeHead(503, { 'retry-after': '0' })
    response.end('{ "id": "one", "n": 12345678901234567890 }')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`
  const code = `
    $seen = [];
    $hook = function (...$all) use (&$seen) { $seen[] = $all; };
    $client = new Millrace\\Client($argv[1], 'bt_live_secret', ['on_request' => $hook, 'on_retry' => $hook,
      'on_response' => function ($response, $info) use (&$seen) { $seen[] = [$info, $response->requestId()]; }]);
    $app = $client->push->getApp('one');
    echo json_encode([$app, count($seen), end($seen)[1], $seen[0][0]['headers']['authorization']]), "\\n";
    print_r($client); var_dump($client); print_r($seen);
    foreach (['..', ''] as $wrong) try { $client->push->getApp($wrong); echo 'sent'; } catch (Millrace\\Exceptions\\MillraceException) {}
    try { new Millrace\\Client($argv[1], "bt_live_secret\\n"); } catch (Exception $e) { echo $e; }`
  const printed = await php(code, [url])
  t.same(JSON.parse(printed.split('\n')[0] ?? ''), [{ id: 'one', n: '12345678901234567890' }, 5, 'req-2', '[masked]'])
  t.notMatch(printed.replaceAll("'bt_live_secret", ''), /bt_live_secret/)
  t.notMatch(printed, /sent/)
  t.equal(requests, 2)
})

test('a list ends if a page repeats, and a line break cannot add a header', async (t) => {
  const code = `
    $list = new Millrace\\Listing(fn ($cursor) => ['data' => [1], 'next_cursor' => 'same']);
    try { foreach ($list as $item) echo $item; } catch (Millrace\\Exceptions\\MillraceException $e) { echo $e->getMessage(), "\\n"; }
    foreach (new Millrace\\Listing(fn ($cursor) => ['data' => [2], 'next_cursor' => '']) as $item) echo $item, "\\n";
    $client = new Millrace\\Client('http://127.0.0.1:9', 'bt_live_secret', ['max_retries' => 0]);
    try { $client->request('POST', '/v1/x', [], [], ['idempotency_key' => "a\\r\\nx-other: 1"]); }
    catch (Millrace\\Exceptions\\MillraceException $e) { echo $e->getMessage(); }`
  t.same((await php(code)).split('\n'), [
    '1The server returned the same page again. Read the list again from its start.',
    '2',
    'The header idempotency-key contains an invalid character.',
  ])
})

test('delays are 50 to 100 % of a limit that doubles', async (t) => {
  const code = `$failure = new Millrace\\Exceptions\\ConnectionException('cut');
    $all = fn ($attempt) => array_map(fn () => Millrace\\Retries::delay($attempt, $failure), range(1, 300));
    foreach ([1, 2, 9] as $n) echo json_encode([min($all($n)), max($all($n))]), "\\n";`
  const ranges = (await php(code))
    .trim()
    .split('\n')
    .map((line): [number, number] => JSON.parse(line))
  for (const [i, most] of [0.5, 1, 8].entries()) {
    const [least = 0, longest = 9] = ranges[i] ?? []
    t.ok(least >= most / 2 && longest <= most && longest - least > most / 4, String(ranges[i]))
  }
})
