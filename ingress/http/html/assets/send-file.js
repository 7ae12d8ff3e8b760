// Sends the bytes of a file to an upload that the server has started.
import { call, lasting, put } from './transfer.js'

export const megabytes = (bytes) => (bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`)

/** What the areas call the fields of an upload in parts. */
const areas = {
  video: {
    base: '/v1/stream/uploads',
    read: ({ partSizeBytes, partsExpected, partsReceived }) => [partSizeBytes, partsExpected, partsReceived],
    numbers: (part) => ({ partNumbers: [part] }),
  },
  parts: {
    base: '/v1/files/uploads',
    read: ({ part_size, parts_expected, parts_received }) => [part_size, parts_expected, parts_received],
    numbers: (part) => ({ part_numbers: [part] }),
  },
}

async function sendParts(file, session, control) {
  const area = areas[session.kind]
  const path = `${area.base}/${session.id}`
  const asked = { ...session, signal: control.signal }
  const [size, partsExpected, partsReceived] = area.read(await lasting(() => call(asked, 'GET', path), control))
  const sizeOf = (part) => Math.min(size, file.size - (part - 1) * size)
  const had = new Set(partsReceived)
  const sent = new Map(partsReceived.map((part) => [part, sizeOf(part)]))
  const missing = Array.from({ length: partsExpected }, (_, i) => i + 1).filter((part) => !had.has(part))
  const tell = () => control.progress([...sent.values()].reduce((sum, bytes) => sum + bytes, 0))
  const send = (part) => async () => {
    const { parts } = await call(asked, 'POST', `${path}/parts/sign`, area.numbers(part))
    const body = file.slice((part - 1) * size, (part - 1) * size + sizeOf(part))
    const progress = (bytes) => {
      sent.set(part, bytes)
      tell()
    }
    await put({ url: parts[0].url, body, signal: control.signal, progress, renewed: true })
    progress(body.size)
  }
  const sender = async () => {
    for (let part = missing.shift(); part !== undefined; part = missing.shift()) await lasting(send(part), control)
  }
  tell()
  await Promise.all([sender(), sender(), sender()])
  await lasting(() => call(asked, 'POST', `${path}/complete`, {}), control)
}

async function sendFile(file, session, control) {
  const { url, headers } = session
  await lasting(() => put({ url, headers, body: file, signal: control.signal, progress: control.progress }), control)
  const asked = { ...session, signal: control.signal }
  await lasting(() => call(asked, 'POST', `/v1/files/uploads/${session.id}/complete`, {}), control)
}

/** Asks the server to start the upload of a file. `omitted` are fields of the form that are not sent. */
export async function begin(form, file, omitted = []) {
  const given = { bytes: file.size, filename: file.name, type: file.type || 'application/octet-stream' }
  for (const [name, value] of Object.entries(given)) if (form.elements[name]) form.elements[name].value = value
  const fields = new URLSearchParams(
    [...new FormData(form)].flatMap(([name, value]) =>
      typeof value === 'string' && !omitted.includes(name) ? [[name, value]] : [],
    ),
  )
  const answer = await fetch(form.action, { method: 'POST', body: fields })
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  return { session: page.querySelector('[data-session]')?.dataset.session, page, signedOut: answer.redirected }
}

/** True if the upload can be paused: parts that storage has are not sent again. */
export const canPause = ({ kind }) => kind in areas

/** Sends a file. Throws `Refused` if a retry cannot succeed. */
export const send = (file, session, control) => (canPause(session) ? sendParts : sendFile)(file, session, control)
