import { readFile } from 'node:fs/promises'
import t from 'tap'
import { parse } from 'yaml'
import { type DatabaseHost, etcdVariables, haproxyFile, patroniFile } from '../../ops/trials/failover/filled.ts'

const deploy = new URL('../../ops/deploy/', import.meta.url)
const read = (path: string) => readFile(new URL(path, deploy), 'utf8')

const places: readonly DatabaseHost[] = [1, 2, 3].map((n) => ({
  name: `db${n}`,
  address: `192.0.2.${n}`,
  dir: `/data/db${n}`,
}))

t.test('the files of a cluster agree with each other', async (t) => {
  const { bootstrap, scope, restapi, postgresql } = parse(await read('patroni/patroni.yml'))
  const { ttl, loop_wait, retry_timeout, synchronous_mode } = bootstrap.dcs
  t.ok(loop_wait + 2 * retry_timeout <= ttl, 'a primary that is cut off steps down before another is made')
  t.equal(synchronous_mode, true)
  t.equal(scope, 'millrace')
  const haproxy = await read('patroni/haproxy.cfg')
  const port = (address: string) => address.split(':')[1]
  t.match(haproxy, `check port ${port(restapi.listen)} `)
  t.match(haproxy, `server db1 ${postgresql.listen}\n`)
  t.match(haproxy, 'on-marked-down shutdown-sessions')
  const pooler = await read('postgres/pgbouncer.ini')
  const [, door] = /listen primary\n {2}bind 127\.0\.0\.1:(\d+)\n/.exec(haproxy) ?? []
  t.equal(
    [...pooler.matchAll(/^millrace\w* = host=127\.0\.0\.1 port=(\d+) /gm)].filter((one) => one[1] === door).length,
    2,
  )
  const sessions = Number(/pool_size=(\d+)/.exec(pooler)?.[1])
  const transactions = Number(/^default_pool_size = (\d+)$/m.exec(pooler)?.[1])
  t.ok(
    bootstrap.dcs.postgresql.parameters.max_connections > sessions + transactions,
    'and there are connections for both',
  )
})

t.test('what is tried is what is shipped, with nothing but addresses, folders and programs of its own', async (t) => {
  const shipped = parse(await read('patroni/patroni.yml'))
  for (const place of places) {
    const text = await patroniFile(place, places, '/programs')
    t.notMatch(text, /10\.0\.0\.|\/var\/lib|\/usr\/lib/, `${place.name}: its Patroni`)
    const filled = parse(text)
    t.same(filled.bootstrap, shipped.bootstrap)
    t.equal(filled.postgresql.connect_address, `${place.address}:5432`)
    t.same(filled.etcd.hosts, ['192.0.2.1:2379', '192.0.2.2:2379', '192.0.2.3:2379'])
    const etcd = await etcdVariables(place, places)
    t.notMatch(Object.values(etcd).join(), /10\.0\.0\./, `${place.name}: its etcd`)
    t.match(etcd, { ETCD_NAME: place.name, ETCD_LISTEN_CLIENT_URLS: `http://${place.address}:2379` })
  }
  const doors = { host: '192.0.2.9', primary: 6000, replicas: 6001 }
  const haproxy = await haproxyFile(doors, places)
  t.notMatch(haproxy, /10\.0\.0\.|127\.0\.0\.1|^ {2}user /m)
  for (const line of ['bind 192.0.2.9:6000', 'bind 192.0.2.9:6001', 'server db3 192.0.2.3:5432']) t.match(haproxy, line)
})
