import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream'

// Takes connections to ports and passes them on to the Unix sockets of the folder that are named for them.
const [folder = '', ...ports] = process.argv.slice(2)
for (const port of ports) {
  createServer((client) => {
    const way = connect(join(folder, port))
    pipeline(client, way, () => {})
    pipeline(way, client, () => {})
  }).listen(Number(port), '0.0.0.0')
}
