import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream'

// Accepts connections on ports and forwards them to the Unix sockets in a folder with their names.
const [folder = '', ...ports] = process.argv.slice(2)
for (const port of ports) {
  createServer((client) => {
    const way = connect(join(folder, port))
    pipeline(client, way, () => {})
    pipeline(way, client, () => {})
  }).listen(Number(port), '0.0.0.0')
}
